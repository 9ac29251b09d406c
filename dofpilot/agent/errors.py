"""Why a run ends without an outcome. The codes are public and stable (DESIGN §5)."""

from __future__ import annotations

from enum import StrEnum

from dofpilot.agent.conversation import UNTOLD, Usage, WireCall


class FailureCode(StrEnum):
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    RATE_LIMITED = "rate_limited"
    PROVIDER_REFUSED = "provider_refused"
    DEADLINE_EXCEEDED = "deadline_exceeded"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    CORPUS_UNAVAILABLE = "corpus_unavailable"
    INTERNAL_ERROR = "internal_error"


class AgentFailure(Exception):
    """The run cannot go on. ``str(error)`` is for the local log alone; people see the code.

    ``calls`` are the requests to a model's server that ended so, for the private record, and ``usage`` what
    they told of the tokens that they took.
    """

    def __init__(
        self, code: FailureCode, detail: str, calls: tuple[WireCall, ...] = (), usage: Usage = UNTOLD
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.calls = calls
        self.usage = usage


class ConfigurationError(Exception):
    """A provider cannot be made from the settings. ``setting`` is the environment variable to mend."""

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(f"{setting}: {reason}")
        self.setting = setting
        self.reason = reason
