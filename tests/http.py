"""The JSON API and its event streams, as a client in another process uses them."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, NamedTuple


class Answer(NamedTuple):
    status: int
    body: Any
    retry_after: str | None = None


def call(method: str, address: str, body: dict[str, Any] | None = None, token: str | None = None) -> Answer:
    """One request. Raises ``OSError`` when nobody answers."""
    request = urllib.request.Request(
        address,
        data=None if body is None else json.dumps(body).encode(),
        method=method,
        headers={
            **({"Authorization": f"Bearer {token}"} if token else {}),
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return Answer(response.status, json.load(response))
    except urllib.error.HTTPError as error:
        return Answer(error.code, json.load(error), error.headers["Retry-After"])
