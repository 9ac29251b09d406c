"""Why a tool refuses a call. The codes are stable: models and pages may rely on them."""

from __future__ import annotations

from enum import StrEnum

from dofpilot.agent.tools.results import ToolError


class RefusalCode(StrEnum):
    NOT_OFFERED = "tool_not_offered"
    NOT_AN_OBJECT = "arguments_not_an_object"
    UNKNOWN_ARGUMENT = "unknown_argument"
    MISSING_ARGUMENT = "missing_argument"
    INVALID_ARGUMENT = "invalid_argument"
    UNKNOWN_DOCUMENT = "unknown_document"
    UNKNOWN_CHUNK = "unknown_chunk"
    AFTER_CUTOFF = "after_cutoff"


class CallRefused(Exception):
    """A call that is not carried out; ``error`` is what the model reads to correct it."""

    def __init__(self, code: RefusalCode, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.error = ToolError(code, message, field)
