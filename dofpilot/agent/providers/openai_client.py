"""The HTTP client under both OpenAI formats, with one limit of time and one of size for a whole reply."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import openai

# Far more than an answer with its reasoning takes; whatever is read of a reply is read many times.
LARGEST_REPLY = 2 * 1024 * 1024
_ENCODED = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class PunctualClient(openai.DefaultHttpxClient):
    """The client's own timeout begins anew with every byte; a server that drips would never be left."""

    def send(self, request: Any, *, stream: bool = False, **more: Any) -> Any:
        """A response whose body is there. The read timeout of ``request`` is counted once for all of it,
        and at most once more where the server falls silent just before its end."""
        until = time.monotonic() + request.extensions["timeout"]["read"]
        response = super().send(request, stream=True, **more)
        try:
            body = b"".join(_pieces(response, request, until))
        finally:
            response.close()
        # Decoded by now, so that what unpacks to much more than it is counts too.
        headers = [item for item in response.headers.multi_items() if item[0].lower() not in _ENCODED]
        return type(response)(response.status_code, headers=headers, content=body, request=request)


def _pieces(response: Any, request: Any, until: float) -> Iterator[bytes]:
    size = 0
    for piece in response.iter_bytes():
        size += len(piece)
        if time.monotonic() >= until:
            raise openai.APITimeoutError(request=request)
        if size > LARGEST_REPLY:
            raise openai.APIConnectionError(message="The reply is too large.", request=request)
        yield piece
