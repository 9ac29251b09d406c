"""The conversation in no provider's format: each provider renders it for its own wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

if TYPE_CHECKING:
    from dofpilot.agent.tools.results import ToolResult

Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
"""What they may be is checked where they are read from a file."""

_PRICED = ("input_tokens", "output_tokens", "cached_input_tokens")


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    as_of: date
    required_hops: int


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """The model asks for one tool. ``arguments`` is what it sent, not yet validated.

    ``carried``: what the provider that made it sends back to its server in its place, in its own format;
    nobody else reads it. Servers of reasoning models refuse a history without their own, sealed reasoning.
    """

    call_id: str
    name: str
    arguments: Mapping[str, Any] | str
    carried: tuple[Mapping[str, Any], ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolReturn:
    """What a tool gave back: a typed result, or an error that the model may read and correct."""

    call_id: str
    name: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Draft:
    """Text offered as the final answer. ``truncated``: a length limit cut it. ``carried``: as in requests."""

    text: str
    truncated: bool = False
    carried: tuple[Mapping[str, Any], ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Revision:
    """A draft was sent back, with reasons in Spanish that the model can act on."""

    reasons: tuple[str, ...]


Message = Question | ToolRequest | ToolReturn | Draft | Revision


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as offered to a model: ``parameters`` is a strict JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """All that a provider may know for one reply. No tools offered means: answer now.

    ``seconds`` are left for it; ``elapsed`` were spent by the run before, by the run's clock.
    """

    instructions: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    answer_schema: dict[str, Any]
    missing: tuple[str, ...]
    seconds: float
    elapsed: float = 0.0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens; ``None`` where the provider did not say.

    ``cached_input_tokens`` are part of ``input_tokens``, ``reasoning_tokens`` of ``output_tokens``.
    ``partial``: of several requests one told less than another, so that more was used than is said.
    """

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    reasoning_tokens: Count | None = None
    partial: bool = False

    def __add__(self, more: Usage) -> Usage:
        """Unknown and known make known; unknown twice stays unknown."""
        return Usage(
            input_tokens=_sum(self.input_tokens, more.input_tokens),
            output_tokens=_sum(self.output_tokens, more.output_tokens),
            cached_input_tokens=_sum(self.cached_input_tokens, more.cached_input_tokens),
            reasoning_tokens=_sum(self.reasoning_tokens, more.reasoning_tokens),
            partial=self.partial or more.partial,
        )

    @property
    def told(self) -> frozenset[str]:
        """Which of the counts that have a price are known, by name."""
        return frozenset(name for name in _PRICED if getattr(self, name) is not None)


UNTOLD = Usage()


@dataclass(frozen=True, slots=True)
class WireCall:
    """One HTTP request to a model's server and what came back, for the private record.

    ``reply`` is the body as JSON, or as text where it is none; ``None`` with ``status`` when nothing came.
    ``error`` tells a failure without the key. ``seconds`` were waited for it.
    """

    request: Mapping[str, Any]
    seconds: Seconds
    status: int | None = None
    reply: Any = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """``calls`` are the requests that it took, the failed ones too; none where nothing goes over a wire."""

    content: ToolRequest | Draft
    usage: Usage = UNTOLD
    calls: tuple[WireCall, ...] = ()


def _sum(total: int | None, more: int | None) -> int | None:
    return total if more is None else (total or 0) + more
