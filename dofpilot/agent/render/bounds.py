"""A payload that fits its limit whatever the texts in it are."""

from __future__ import annotations

import json
from typing import Any

from dofpilot.agent.events import EXCERPT_LIMIT, PAYLOAD_LIMIT
from dofpilot.agent.tools.coercion import printable
from dofpilot.corpus.text.shortening import shorten

EXCERPT_STEPS = (EXCERPT_LIMIT, 1_200, 800, 600, 400, 300, 200, 100)
# In the order in which their tails are given up when shorter excerpts are not enough.
LISTS = ("passages", "headings", "documents", "reasons")


def fit(payload: dict[str, Any]) -> dict[str, Any]:
    """``payload`` with shorter excerpts, then shorter lists, until it takes ``PAYLOAD_LIMIT`` bytes or less.

    Single texts other than excerpts must come short already (a few hundred characters).
    """
    payload = cleaned(payload)
    for limit in EXCERPT_STEPS:
        fitted = _with_excerpts(payload, limit)
        if size(fitted) <= PAYLOAD_LIMIT:
            return fitted
    for name in LISTS:
        while fitted.get(name) and size(fitted) > PAYLOAD_LIMIT:
            fitted = fitted | {name: fitted[name][: len(fitted[name]) // 2]}
    return fitted


def size(payload: dict[str, Any]) -> int:
    """Bytes of the JSON in its widest spelling (every other letter escaped): no writer needs more."""
    return len(json.dumps(payload))


def cleaned(value: Any) -> Any:
    """The same JSON with every text fit for a database and an event stream."""
    match value:
        case str():
            return printable(str(value))
        case dict():
            return {key: cleaned(item) for key, item in value.items()}
        case list() | tuple():
            return [cleaned(item) for item in value]
    return value


def _with_excerpts(payload: dict[str, Any], limit: int) -> dict[str, Any]:
    if "passages" not in payload:
        return payload
    passages = [passage | {"excerpt": shorten(passage["excerpt"], limit)} for passage in payload["passages"]]
    return payload | {"passages": passages}
