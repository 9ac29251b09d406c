"""Refusals with a stable code, the same for pages and API (RFC 9457)."""

from __future__ import annotations

from enum import StrEnum


class ProblemCode(StrEnum):
    INVALID = "invalid"
    UNAUTHENTICATED = "unauthenticated"
    NOT_FOUND = "not_found"
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"
    ACTIVE_RUN = "active_run"
    NOT_FINISHED = "not_finished"
    TOO_LARGE = "too_large"
    RATE_LIMITED = "rate_limited"
    QUEUE_FULL = "queue_full"
    CORPUS_UNAVAILABLE = "corpus_unavailable"
    FORBIDDEN = "forbidden"
    INTERNAL_ERROR = "internal_error"


class Problem(Exception):
    """Something that a person asked for and does not get.

    ``status`` is the HTTP status, ``detail`` a sentence in the reader's language, ``field`` the part of
    the request at fault, ``retry_after`` seconds until it is worth trying again.
    """

    def __init__(
        self, status: int, code: str, detail: str, field: str | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = ProblemCode(code)
        self.detail = detail
        self.field = field
        self.retry_after = retry_after
