"""The conversation in no provider's format: each provider renders it for its own wire."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dofpilot.agent.tools.results import ToolResult


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    as_of: date
    required_hops: int


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """The model asks for one tool. ``arguments`` is what it sent, not yet validated."""

    call_id: str
    name: str
    arguments: Mapping[str, Any] | str


@dataclass(frozen=True, slots=True)
class ToolReturn:
    """What a tool gave back: a typed result, or an error that the model may read and correct."""

    call_id: str
    name: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class Draft:
    """Text offered as the final answer. ``truncated`` when a length limit cut it."""

    text: str
    truncated: bool = False


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
    """All that a provider may know for one reply. No tools offered means: answer now."""

    instructions: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    answer_schema: dict[str, Any]
    missing: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens; ``None`` where the provider did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    content: ToolRequest | Draft
    usage: Usage = Usage()
