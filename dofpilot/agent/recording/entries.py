"""What a recording holds of a run: each reply of its provider and each return of its corpus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dofpilot.agent.conversation import Draft, Seconds, ToolRequest, Turn, Usage, WireCall
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.render.trace import NotRestorable, full, restored
from dofpilot.corpus.errors import CorpusError, CorpusUnavailable, IntegrityError, InvalidRequest


class Operation(StrEnum):
    """The operations of ``dofpilot.agent.reader.Reader``."""

    LIST_PUBLICATIONS = "list_publications"
    SEARCH_DOCUMENTS = "search_documents"
    SEARCH_EVIDENCE = "search_evidence"
    GET_DOCUMENT_OUTLINE = "get_document_outline"
    READ_CHUNKS = "read_chunks"


class FaultKind(StrEnum):
    INVALID_REQUEST = "invalid_request"
    UNAVAILABLE = "unavailable"
    INTEGRITY = "integrity"


@dataclass(frozen=True, slots=True)
class CorpusFault:
    """An error of the corpus, to be raised again. ``field`` is empty but for an ``INVALID_REQUEST``."""

    kind: FaultKind
    field: str
    reason: str

    @classmethod
    def of(cls, error: CorpusError) -> CorpusFault:
        match error:
            case InvalidRequest():
                return cls(FaultKind.INVALID_REQUEST, error.field, error.reason)
            case IntegrityError():
                return cls(FaultKind.INTEGRITY, "", str(error))
        return cls(FaultKind.UNAVAILABLE, "", str(error))

    def error(self) -> CorpusError:
        match self.kind:
            case FaultKind.INVALID_REQUEST:
                return InvalidRequest(self.field, self.reason)
            case FaultKind.INTEGRITY:
                return IntegrityError(self.reason)
            case FaultKind.UNAVAILABLE:
                return CorpusUnavailable(self.reason)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn's wait for the provider, from 1. Seconds.

    ``elapsed``, ``tools`` and ``missing`` are what the provider was told of the run (``Turn``); ``seconds``
    were waited. One of ``reply`` and ``failure`` is set; neither where the run's process was ended meanwhile.
    ``failure`` is the provider's, the deadline's or that of a stop. ``calls`` went over the wire.
    """

    turn: int
    elapsed: Seconds
    seconds: Seconds
    tools: tuple[str, ...]
    missing: tuple[str, ...]
    reply: ToolRequest | Draft | None
    usage: Usage
    failure: FailureCode | None
    calls: tuple[WireCall, ...]


@dataclass(frozen=True, slots=True)
class CorpusCall:
    """One operation of the corpus; ``seconds`` were spent in it.

    ``arguments`` by name and ``returned`` are as ``render.trace.full`` gives them; what raised an ``error``
    returned nothing.
    """

    operation: Operation
    arguments: Mapping[str, Any]
    returned: Any
    error: CorpusFault | None
    seconds: Seconds


Entry = Exchange | CorpusCall

_REPLIES: dict[str, type[ToolRequest] | type[Draft]] = {"tool_request": ToolRequest, "draft": Draft}


def number(turn: Turn) -> int:
    """Of the turn, from 1: each one before it left a request or a draft in the conversation."""
    return 1 + sum(isinstance(message, ToolRequest | Draft) for message in turn.messages)


def to_json(entry: Entry) -> dict[str, Any]:
    """All of an entry as JSON, its kind under ``type``."""
    if isinstance(entry, CorpusCall):
        return {"type": "corpus_call", **full(entry)}
    return {"type": "exchange", **full(entry), "reply": _rendered(entry.reply)}


def from_json(rendered: Mapping[str, Any]) -> Entry:
    """What ``to_json`` rendered. Raise ``NotRestorable``, which names the field that is wrong."""
    match rendered.get("type"):
        case "corpus_call":
            return restored(CorpusCall, rendered)
        case "exchange":
            return restored(Exchange, {**rendered, "reply": _reply(rendered.get("reply"))})
        case other:
            raise NotRestorable("type", f"no entry is of the type {other!r}")


def _rendered(reply: ToolRequest | Draft | None) -> dict[str, Any] | None:
    if reply is None:
        return None
    kind = "tool_request" if isinstance(reply, ToolRequest) else "draft"
    return {"type": kind, **full(reply)}


def _reply(rendered: Any) -> ToolRequest | Draft | None:
    if rendered is None:
        return None
    kind = rendered.get("type") if isinstance(rendered, Mapping) else None
    if not isinstance(kind, str) or kind not in _REPLIES:
        raise NotRestorable("reply.type", f"no reply is of the type {kind!r}")
    return restored(_REPLIES[kind], rendered, "reply")
