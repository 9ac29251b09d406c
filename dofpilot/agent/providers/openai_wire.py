"""What both OpenAI formats share: the client, retries within a turn's time, and failures by public code."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import openai

from dofpilot.agent.conversation import ToolRequest, Usage
from dofpilot.agent.errors import AgentFailure, FailureCode

# A local server wants no key, but the client refuses to start without one.
_NO_KEY = "not-needed"
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 8.0
_TRANSIENT_STATUS = frozenset({408, 409, 429})
_RATE_LIMIT_CODES = frozenset({"rate_limit_exceeded", "insufficient_quota"})

JsonObject = dict[str, Any]
T = TypeVar("T")
Send = Callable[[openai.OpenAI, float], Any]


class UnusableReply(Exception):
    """It carries no answer: an error body with status 200, no choices, no JSON."""

    def __init__(self, detail: str, status: int | None = None, code: str | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code


@dataclass(frozen=True, slots=True)
class Connection:
    """How to reach a server. ``timeout``: seconds for one request; ``max_retries``: beyond the first."""

    model: str
    api_key: str | None = field(default=None, repr=False)
    base_url: str | None = None
    timeout: float = 60.0
    max_retries: int = 2
    reasoning_effort: str | None = None


class Wire:
    """One HTTP client. Retries are counted here, not in the client, which knows no deadline."""

    def __init__(self, connection: Connection, pause: Callable[[float], None] = time.sleep) -> None:
        self._connection = connection
        self._pause = pause
        self._client = openai.OpenAI(
            api_key=connection.api_key or _NO_KEY, base_url=connection.base_url, max_retries=0
        )

    def exchange(self, send: Send, read: Callable[[JsonObject], T], seconds: float) -> T:
        """What ``read`` makes of the reply's JSON, or ``AgentFailure``; never later than ``seconds``.

        ``send`` gets the client and the seconds left, and returns the client's raw response.
        """
        deadline = time.monotonic() + seconds
        attempt = 0
        while True:
            left = max(deadline - time.monotonic(), 0.001)
            try:
                return read(_json_of(send(self._client, min(self._connection.timeout, left))))
            except (openai.APIError, UnusableReply) as error:
                pause = _pause_before(error, attempt)
                if attempt >= self._connection.max_retries or pause is None:
                    raise self._failure(error) from None
                if time.monotonic() + pause >= deadline:
                    raise self._failure(error) from None
            self._pause(pause)
            attempt += 1

    def _failure(self, error: openai.APIError | UnusableReply) -> AgentFailure:
        """The original error is left out of the chain: servers like to repeat the key they refuse."""
        detail = f"{type(error).__name__}: {error}"
        if self._connection.api_key:
            detail = detail.replace(self._connection.api_key, "***")
        return AgentFailure(_failure_code(error), detail[:500])


def refused(reason: str) -> AgentFailure:
    return AgentFailure(FailureCode.PROVIDER_REFUSED, reason)


def raise_error_body(body: JsonObject) -> None:
    """Some servers report a failure as ``{"error": ...}`` under status 200."""
    error = body.get("error")
    if not error:
        return
    described: JsonObject = error if isinstance(error, dict) else {"message": str(error)}
    code = str(described.get("code") or described.get("type") or "")
    raise UnusableReply(
        f"error body: {described.get('message')}", int(code) if code.isdigit() else None, code
    )


def arguments_text(request: ToolRequest) -> str:
    """A past call's arguments as a JSON object: servers that parse the history fail on anything else."""
    if isinstance(request.arguments, Mapping):
        return json.dumps(dict(request.arguments), ensure_ascii=False)
    try:
        parsed = json.loads(request.arguments)
    except ValueError:
        return "{}"
    return request.arguments if isinstance(parsed, dict) else "{}"


def usage(body: JsonObject, input_key: str, output_key: str) -> Usage:
    counts = objects([body.get("usage")])
    if not counts:
        return Usage()
    tokens = (counts[0].get(key) for key in (input_key, output_key))
    return Usage(*(count if isinstance(count, int) else None for count in tokens))


def objects(values: Any) -> list[JsonObject]:
    """The JSON objects among ``values``; none when it is no list."""
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _json_of(response: Any) -> JsonObject:
    try:
        body = json.loads(response.http_response.text)
    except ValueError:
        raise UnusableReply("the reply is no JSON") from None
    if not isinstance(body, dict):
        raise UnusableReply("the reply is no JSON object")
    return body


def _status(error: openai.APIError | UnusableReply) -> int | None:
    return error.status if isinstance(error, UnusableReply) else getattr(error, "status_code", None)


def _failure_code(error: openai.APIError | UnusableReply) -> FailureCode:
    status = _status(error)
    if status == 429 or error.code in _RATE_LIMIT_CODES:
        return FailureCode.RATE_LIMITED
    if error.code == "content_filter" or (status and 400 <= status < 500 and status not in _TRANSIENT_STATUS):
        return FailureCode.PROVIDER_REFUSED
    return FailureCode.PROVIDER_UNAVAILABLE


def _pause_before(error: openai.APIError | UnusableReply, attempt: int) -> float | None:
    """Seconds to wait before another attempt; ``None`` when another would end the same way."""
    if _failure_code(error) is FailureCode.PROVIDER_REFUSED or error.code == "insufficient_quota":
        return None
    asked = _retry_after(error)
    return asked if asked is not None else min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE)


def _retry_after(error: openai.APIError | UnusableReply) -> float | None:
    if not isinstance(error, openai.APIStatusError):
        return None
    try:
        return max(float(error.response.headers.get("retry-after", "")), 0.0)
    except ValueError:
        return None
