"""The HTTP client under both OpenAI formats, with one limit of time and one of size for a whole reply."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import Any

import openai

logger = logging.getLogger(__name__)

# Far more than an answer with its reasoning takes; whatever is read of a reply is read many times.
LARGEST_REPLY = 2 * 1024 * 1024
# Of the body as it was sent. JSON is UTF-8 whatever its type says, and the client fails on the names of what
# is no character set.
_OF_BODY = frozenset({"content-encoding", "content-length", "content-type", "transfer-encoding"})


class PunctualClient(openai.DefaultHttpxClient):
    """The client's own timeout begins anew with every byte; a server that drips would never be left."""

    def __init__(self) -> None:
        # Whoever is redirected to would be told the whole conversation.
        super().__init__(follow_redirects=False)

    def send(self, request: Any, *, stream: bool = False, **more: Any) -> Any:
        """A response whose body is there. The read timeout of ``request`` is counted once for all of it,
        and at most once more where the server falls silent just before its end.

        Raises errors of the two clients alone: whatever else a reply does to them is a reply of no use."""
        try:
            return self._answered(request, **more)
        except Exception as error:
            if isinstance(error, openai.OpenAIError) or _library(error) == _library(request):
                raise
            logger.exception("a reply could not be received")
            reason = f"The reply cannot be received: {type(error).__name__}."
            raise openai.APIConnectionError(message=reason, request=request) from None

    def _answered(self, request: Any, **more: Any) -> Any:
        until = time.monotonic() + request.extensions["timeout"]["read"]
        response = super().send(request, stream=True, **more)
        try:
            body = b"".join(_pieces(response, request, until))
        finally:
            response.close()
        # Decoded by now, so that what unpacks to much more than it is counts too.
        headers = [item for item in response.headers.multi_items() if item[0].lower() not in _OF_BODY]
        return type(response)(response.status_code, headers=headers, content=body, request=request)


def _library(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def _pieces(response: Any, request: Any, until: float) -> Iterator[bytes]:
    size = 0
    for piece in response.iter_bytes():
        size += len(piece)
        if time.monotonic() >= until:
            raise openai.APITimeoutError(request=request)
        if size > LARGEST_REPLY:
            raise openai.APIConnectionError(message="The reply is too large.", request=request)
        yield piece
