"""A run's whole recording, and its file: JSON Lines of one header, the entries in order, and the ending."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from dofpilot.agent.conversation import Count, Question
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.limits import Limits
from dofpilot.agent.nesting import DEEPEST, is_shallow
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.recording.entries import Entry, Exchange, from_json, to_json
from dofpilot.agent.render.trace import NotRestorable, dumps, full, restored
from dofpilot.corpus.types import Strategy

# A reply may be as deep as any JSON of a server, and a line holds it in its own.
_DEEPEST = DEEPEST + 20


class TranscriptError(ValueError):
    """A file that is no recording, or a damaged one. ``line`` counts from 1; ``field`` may be empty."""

    def __init__(self, line: int, field: str, reason: str) -> None:
        super().__init__(f"line {line}: {field}: {reason}" if field else f"line {line}: {reason}")
        self.line = line
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Header:
    """What a run was asked and how it was to work.

    ``strategy`` is that of its searches, ``given_up`` the planned one that the corpus no longer offered.
    ``about`` is for people (versions, fingerprints) and no replay reads it.
    """

    run_id: str
    question: str
    as_of: date
    required_hops: int
    identity: ProviderIdentity
    limits: Limits
    strategy: Strategy
    given_up: Strategy | None
    about: Mapping[str, Any]

    @property
    def asked(self) -> Question:
        return Question(self.question, self.as_of, self.required_hops)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: with a ``failure`` or, with an outcome, for a ``stop_reason``; never both.

    ``events`` is how many the run had published by then, and none came later.
    """

    events: Count
    failure: FailureCode | None
    stop_reason: StopReason | None

    def __post_init__(self) -> None:
        if (self.failure is None) == (self.stop_reason is None):
            raise ValueError("a run ends with a failure or for a stop_reason: one of both")


@dataclass(frozen=True, slots=True)
class Transcript:
    header: Header
    entries: tuple[Entry, ...]
    ending: Ending


def write(transcript: Transcript) -> Iterator[str]:
    """The lines of a transcript, each with its end. Several transcripts may follow each other in one file."""
    for part in (transcript.header, *transcript.entries, transcript.ending):
        yield line_of(part)


def line_of(part: Header | Entry | Ending) -> str:
    """One line of a transcript, with its end, for who stores a run as it goes."""
    match part:
        case Header():
            rendered = {"type": "header", **full(part)}
        case Ending():
            rendered = {"type": "ending", **full(part)}
        case _:
            rendered = to_json(part)
    return f"{dumps(rendered)}\n"


def read(lines: Iterable[str]) -> list[Transcript]:
    """The transcripts of a file, at least one, in order; blank lines count and say nothing.

    Raise ``TranscriptError`` for a file that ends before a transcript does, and for any line that is wrong.
    """
    reading = _Reading()
    for line in lines:
        reading.take(line)
    return reading.finished()


def load(path: Path) -> list[Transcript]:
    """The transcripts of a file, as ``read`` gives them; ``OSError`` when it cannot be opened."""
    return read(_lines(path))


def check_beginning(path: Path) -> None:
    """Whether a file begins as a transcript does. Raises as ``load`` does, without reading on."""
    reading = _Reading()
    for line in _lines(path):
        reading.take(line)
        if reading.header is not None:
            return
    reading.finished()


def _lines(path: Path) -> Iterator[str]:
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            yield _text(line, number)


def _text(line: bytes, number: int) -> str:
    # What is damaged must not pass for what was recorded.
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TranscriptError(number, "", f"no UTF-8: {error}") from error


@dataclass(slots=True)
class _Reading:
    """What was read of a file up to ``line``, which counts from 1."""

    line: int = 0
    header: Header | None = None
    entries: list[Entry] = field(default_factory=list)
    done: list[Transcript] = field(default_factory=list)

    def take(self, line: str) -> None:
        self.line += 1
        if not line.strip():
            return
        try:
            self._put(_object(line))
        except NotRestorable as fault:
            raise self._error(fault.reason, fault.field) from fault

    def finished(self) -> list[Transcript]:
        if self.header is not None:
            raise self._error("the transcript has no ending")
        if not self.done:
            raise self._error("there is no transcript")
        return self.done

    def _put(self, rendered: dict[str, Any]) -> None:
        kind = rendered.get("type")
        if (kind == "header") != (self.header is None):
            raise self._error("a transcript begins with one header and has no other", "type")
        if self.header is None:
            self.header = _timed(restored(Header, rendered))
        elif kind == "ending":
            ending = restored(Ending, rendered)
            self.done.append(Transcript(self.header, tuple(self.entries), ending))
            self.header, self.entries = None, []
        else:
            self._add(from_json(rendered))

    def _add(self, entry: Entry) -> None:
        # A replay finds an exchange by its place.
        place = 1 + sum(isinstance(before, Exchange) for before in self.entries)
        if isinstance(entry, Exchange) and entry.turn != place:
            raise NotRestorable("turn", f"turn {place} is expected, not {entry.turn}")
        self.entries.append(entry)

    def _error(self, reason: str, field: str = "") -> TranscriptError:
        return TranscriptError(self.line, field, reason)


def _timed(header: Header) -> Header:
    for name in ("turn_seconds", "run_seconds"):
        if not 0 <= getattr(header.limits, name) < math.inf:
            raise NotRestorable(f"limits.{name}", "seconds are expected, zero or more")
    return header


def _object(line: str) -> dict[str, Any]:
    try:
        rendered = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise NotRestorable("", f"no JSON: {error}") from error
    if not isinstance(rendered, dict):
        raise NotRestorable("", "no JSON object")
    if not is_shallow(rendered, _DEEPEST):
        raise NotRestorable("", "nested too deep")
    return rendered
