"""Scripts in JSON for the scripted provider, with references to what earlier tools returned.

``$documents[0]``, ``$chunks[0]`` and ``$read[0]`` name the first document returned, the first chunk
named and the first passage read: a script need not know any id. A text that is one reference becomes
the number; inside a longer text the number is written in its place.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from dofpilot.agent.conversation import Draft, Question, Reply, ToolRequest, ToolReturn, Turn
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
    ToolResult,
)

FILE_POLL_SECONDS = 0.02
_REFERENCE = re.compile(r"\$(documents|chunks|read)\[(\d+)\]")


class ScriptStep(BaseModel):
    """One thing to do. Waiting goes on to the next step; the others are replies, and end a turn.

    ``wait_for_file`` waits until the file exists, for ever if it never does. ``text`` is a draft as it
    stands, ``answer`` one that is written as JSON. ``fail`` raises a public failure code.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    wait_ms: int | None = Field(default=None, ge=0)
    wait_for_file: Path | None = None
    tool: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    answer: dict[str, Any] | None = None
    text: str | None = None
    truncated: bool = False
    fail: FailureCode | None = None

    @property
    def ends_turn(self) -> bool:
        return any(value is not None for value in (self.tool, self.answer, self.text, self.fail))


class Script(BaseModel):
    """``count_calls``: append one line per provider call to ``<path>.calls``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: tuple[ScriptStep, ...]
    count_calls: bool = False
    model: str = "scripted"
    generative: bool = True

    def by_reply(self) -> Iterator[tuple[ScriptStep, ...]]:
        """The steps of each turn: waits, then the step that replies."""
        pending: list[ScriptStep] = []
        for step in self.steps:
            pending.append(step)
            if step.ends_turn:
                yield tuple(pending)
                pending = []
        if pending:
            yield tuple(pending)


def play(steps: Sequence[ScriptStep], calls: Path | None) -> Callable[[Turn], Reply]:
    """One turn of a script as a function; each call of it is counted in ``calls``."""

    def respond(turn: Turn) -> Reply:
        if calls is not None:
            _count(calls, turn)
        for step in steps:
            _wait(step)
        return _reply(steps[-1], turn)

    return respond


def _count(calls: Path, turn: Turn) -> None:
    questions = [message.text for message in turn.messages if isinstance(message, Question)]
    line = json.dumps({"question": questions, "messages": len(turn.messages)}, ensure_ascii=False)
    with calls.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def _wait(step: ScriptStep) -> None:
    if step.wait_ms:
        time.sleep(step.wait_ms / 1000)
    while step.wait_for_file is not None and not step.wait_for_file.exists():
        time.sleep(FILE_POLL_SECONDS)


def _reply(step: ScriptStep, turn: Turn) -> Reply:
    if step.fail is not None:
        raise AgentFailure(step.fail, "the script says so")
    if step.tool is not None:
        arguments = _resolved(step.arguments, turn)
        return Reply(ToolRequest(f"call-{len(turn.messages)}", step.tool, arguments))
    if step.answer is not None:
        text = json.dumps(_resolved(step.answer, turn), ensure_ascii=False)
        return Reply(Draft(text, step.truncated))
    if step.text is not None:
        return Reply(Draft(_resolved(step.text, turn), step.truncated))
    raise AgentFailure(FailureCode.INTERNAL_ERROR, "the script ends with a wait")


def _resolved(value: Any, turn: Turn) -> Any:
    match value:
        case dict():
            return {key: _resolved(item, turn) for key, item in value.items()}
        case list():
            return [_resolved(item, turn) for item in value]
        case str():
            known = _known(turn)
            if (whole := _REFERENCE.fullmatch(value)) is not None:
                return _looked_up(whole, known)
            return _REFERENCE.sub(lambda match: str(_looked_up(match, known)), value)
    return value


def _looked_up(match: re.Match[str], known: dict[str, list[int]]) -> int:
    ids, place = known[match[1]], int(match[2])
    if place >= len(ids):
        raise AgentFailure(FailureCode.INTERNAL_ERROR, f"{match[0]}: only {len(ids)} are known")
    return ids[place]


def _known(turn: Turn) -> dict[str, list[int]]:
    results = [message.result for message in turn.messages if isinstance(message, ToolReturn)]
    return {
        "documents": _distinct(_documents, results),
        "chunks": _distinct(_chunks, results),
        "read": _distinct(_read, results),
    }


def _distinct(ids: Callable[[ToolResult], Iterable[int]], results: list[ToolResult]) -> list[int]:
    return list(dict.fromkeys(found for result in results for found in ids(result)))


def _documents(result: ToolResult) -> Iterable[int]:
    match result:
        case PublicationsListed():
            return [publication.document_id for publication in result.publications]
        case DocumentsFound() | EvidenceFound():
            return [hit.publication.document_id for hit in result.hits]
    return []


def _chunks(result: ToolResult) -> Iterable[int]:
    match result:
        case DocumentsFound():
            return [hit.best_chunk_id for hit in result.hits]
        case EvidenceFound():
            return [hit.chunk_id for hit in result.hits]
        case OutlineShown():
            return [entry.first_chunk_id for entry in result.outline.entries]
    return _read(result)


def _read(result: ToolResult) -> Iterable[int]:
    return [passage.chunk_id for passage in result.passages] if isinstance(result, ReadPassages) else []
