"""Why a request brought no reply, in whichever words a server says it, and whether to ask again."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any, NamedTuple

import openai

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.providers.openai_reading import JsonObject, an_object, objects

_PASSING_STATUS = frozenset({408, 409, 425, 429})
_REDIRECTIONS = range(300, 400)
_PAYMENT_REQUIRED = 402
_TOO_MANY_REQUESTS = 429
# Characters; no server needs more to say what is wrong.
_LONGEST_ERROR = 20_000
_EXHAUSTED_CODES = frozenset({
    "insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "exceeded_current_quota_error",
    "insufficient_balance", "insufficient_balance_error", "insufficient_credits", "insufficient_user_quota",
    "payment_required", "terminal_quota_exhausted", "budget_exceeded", "arrearage", "1113",
})  # fmt: skip
_RATE_CODES = frozenset({
    "rate_limit_exceeded", "rate_limit_error", "rate_limit_reached_error", "rate_limited",
    "too_many_requests", "engine_overloaded_error", "throttling",
})  # fmt: skip
_REFUSED_CODES = frozenset({
    "authentication_error", "permission_error", "permission_denied_error", "not_found_error",
    "model_not_found", "context_length_exceeded", "content_filter", "unsupported_parameter",
    "unsupported_value", "badrequesterror",
})  # fmt: skip
# Money is named outright: «quota exceeded» alone is also how a limit per minute is worded.
_NO_MONEY = re.compile(
    r"insufficient[ _](?:account )?(?:balance|credit|fund)|credit balance is too low|billing hard limit"
    r"|hard billing limit|out of credits|requires more credits|used all available credits|spending limit"
    r"|in arrears|check your plan and billing|余额不足",
    re.IGNORECASE,
)
_COMES_BACK = re.compile(
    r"(?:retry|try again|available|resets?) (?:in|after|at) |per (?:second|minute|hour)", re.IGNORECASE
)


class FaultKind(Enum):
    """``(public code, whether another attempt may end otherwise, how the log calls it)``"""

    FAILED = (FailureCode.PROVIDER_UNAVAILABLE, True, "server failed")
    BUSY = (FailureCode.RATE_LIMITED, True, "rate limited")
    EXHAUSTED = (FailureCode.PROVIDER_REFUSED, False, "quota exhausted")
    REFUSED = (FailureCode.PROVIDER_REFUSED, False, "refused")
    TIME_OVER = (FailureCode.DEADLINE_EXCEEDED, False, "out of time")

    @property
    def code(self) -> FailureCode:
        return self.value[0]

    @property
    def repeatable(self) -> bool:
        return self.value[1]


class Fault(Exception):
    """One request without a usable reply. ``wait``: seconds that the server asks for before another.

    ``param``: which part of the request the server refuses, where it says so.
    """

    def __init__(
        self,
        kind: FaultKind,
        detail: str,
        *,
        param: str = "",
        wait: float | None = None,
        final: bool = False,
    ) -> None:
        super().__init__(f"{kind.value[2]}: {detail}")
        self.kind = kind
        self.param = param
        self.wait = wait
        self.repeatable = kind.repeatable and not final


def refused(reason: str) -> Fault:
    return Fault(FaultKind.REFUSED, reason)


def unusable(reason: str, body: Any = None) -> Fault:
    """A reply that carries no answer. Some servers say only there that they want to be paid."""
    return Fault(_kind(_said(body), None, body), reason)


def of_status(error: openai.APIStatusError, body: Any) -> Fault:
    """A reply with an HTTP status of failure and ``body``."""
    said = _said(an_object(body).get("error") or body)
    headers = error.response.headers
    kind = _kind(said, error.status_code, body, wait := _retry_after(headers))
    detail = f"HTTP {error.status_code} {_redirection(error.response) or said.message}".strip()
    final = headers.get("x-should-retry") == "false"
    return Fault(kind, detail, param=said.param, wait=wait, final=final)


def _redirection(response: Any) -> str:
    """Not followed: the log tells whoever chose the server's address what to mend."""
    if response.status_code not in _REDIRECTIONS:
        return ""
    target = " ".join(response.headers.get("location", "").split())[:300]
    return f"redirects to «{target}», which is not followed: the address must be the server's own"


def of_body(body: JsonObject) -> Fault | None:
    """The failure that a body under status 200 reports, if it does."""
    choice = an_object(next(iter(objects(body.get("choices"))), None))
    for holder in (body, choice):
        for name in ("error", "errors"):
            if error := _something(holder.get(name)):
                return _in_body(_said(error), body)
    failed = body.get("object") == "error" or body.get("status") in ("failed", "cancelled")
    said = _said(body)
    bare = not {"choices", "output"} & body.keys() and said.message
    return _in_body(said, body) if failed or bare else None


class _Said(NamedTuple):
    message: str
    codes: tuple[str, ...]
    param: str
    status: int | None


def _in_body(said: _Said, body: JsonObject) -> Fault:
    detail = " ".join(["error under status 200:", *said.codes, said.message])
    return Fault(_kind(said, said.status, body), detail, param=said.param)


def _kind(said: _Said, status: int | None, body: Any, wait: float | None = None) -> FaultKind:
    codes = set(said.codes)
    if status == _PAYMENT_REQUIRED or codes & _EXHAUSTED_CODES or _no_money(status, body, wait):
        return FaultKind.EXHAUSTED
    if status == _TOO_MANY_REQUESTS:
        return FaultKind.BUSY
    if status is not None and 300 <= status < 500 and status not in _PASSING_STATUS:
        return FaultKind.REFUSED
    if any(code in _RATE_CODES or code.startswith("throttling.") for code in codes):
        return FaultKind.BUSY
    if codes & _REFUSED_CODES or any(code.startswith("invalid_") for code in codes):
        return FaultKind.REFUSED
    return FaultKind.FAILED


def _no_money(status: int | None, body: Any, wait: float | None) -> bool:
    """Told by words alone, so any sign that it will pass outweighs them."""
    if status not in (None, 400, 403, _TOO_MANY_REQUESTS) or wait is not None:
        return False
    words = (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False))[:_LONGEST_ERROR]
    return bool(_NO_MONEY.search(words)) and not _COMES_BACK.search(words)


def _said(error: Any) -> _Said:
    """An error as an object, as text, or as the list of a server that checks types."""
    if not isinstance(error, dict):
        return _Said(_words(error), (), "", None)
    message = next((error[name] for name in ("message", "detail", "msg") if _something(error.get(name))), "")
    given = [error.get(name) for name in ("code", "type", "status", "status_code")]
    numbers = [int(code) for code in map(str, given) if re.fullmatch(r"[1-5][0-9]{2}", code)]
    codes = tuple(code.strip().lower() for code in given if isinstance(code, str) and code.strip())
    more = (str(code) for code in given[:1] if isinstance(code, int))
    param = error.get("param")
    status = numbers[0] if numbers else None
    return _Said(_words(message), (*codes, *more), param if isinstance(param, str) else "", status)


def _something(error: Any) -> Any:
    """``{"code": 0, "message": ""}`` is how some servers say that nothing went wrong."""
    return error if not isinstance(error, dict) or any(error.values()) else None


def _words(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) if value else ""
    return " ".join(text[:_LONGEST_ERROR].split())[:300]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds; ``None`` where the server asks for no wait, or for one that nobody understands."""
    for name, part in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        if (seconds := _number(headers.get(name))) is not None:
            return max(seconds / part, 0.0)
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(moment.timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
