"""The answer's text in pieces: words, numbered citations, and figures with their check."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from dofpilot.agent.outcome import MARKER, FigureStatus

BULLETS = ("-", "•", "*")


@dataclass(frozen=True, slots=True)
class Words:
    text: str
    kind: str = "words"


@dataclass(frozen=True, slots=True)
class Citation:
    number: int
    kind: str = "citation"


@dataclass(frozen=True, slots=True)
class FigureMark:
    """``number`` is the source that says the figure; ``None`` when no cited passage does."""

    text: str
    number: int | None
    kind: str = "figure"


Piece = Words | Citation | FigureMark
Line = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, whose lines follow one another, or a list, whose lines are its items."""

    listed: bool
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class _Written:
    """A line's words, without bullet and blanks: ``text[start:end]`` of the answer."""

    start: int
    end: int
    listed: bool

    @property
    def kind(self) -> str:
        if self.start == self.end:
            return "blank"
        return "item" if self.listed else "words"


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    piece: Piece | None


def numbering(text: str, citations: Sequence[int]) -> dict[int, int]:
    """Number of each cited passage, by first use in the text; those cited without a mark come after."""
    used = [int(match["chunk_id"]) for match in MARKER.finditer(text)]
    cited = set(citations)
    ordered = dict.fromkeys([chunk_id for chunk_id in used if chunk_id in cited] + list(citations))
    return {chunk_id: number for number, chunk_id in enumerate(ordered, start=1)}


def blocks(
    answer: Mapping[str, Any], figures: Iterable[Mapping[str, Any]], numbers: Mapping[int, int]
) -> list[Block]:
    """``answer`` and ``figures`` of the public run, ready to be set. All text is still to be escaped."""
    text: str = answer["text"]
    marks = _without_overlaps([*_citation_marks(answer, numbers), *_figure_marks(figures, numbers)])
    made: list[Block] = []
    for kind, written in groupby(_lines(text), key=lambda line: line.kind):
        if kind != "blank":
            lines = [_pieces(text, line.start, line.end, marks) for line in written]
            made.append(Block(kind == "item", tuple(line for line in lines if line)))
    return made


def _lines(text: str) -> Iterator[_Written]:
    # No pattern: one that looks for the end of a line anew at each of its blanks takes hours for a megabyte.
    end = -1
    for line in text.split("\n"):
        end += len(line) + 1
        words = line.lstrip()
        listed = words.startswith(BULLETS) and words[1:2].isspace()
        if listed:
            words = words[1:].lstrip()
        start = end - len(words)
        yield _Written(start, start + len(words.rstrip()), listed)


def _citation_marks(answer: Mapping[str, Any], numbers: Mapping[int, int]) -> Iterable[_Mark]:
    rejected = {item["id"] for item in answer.get("rejected_citations", [])}
    for match in MARKER.finditer(answer["text"]):
        number = numbers.get(int(match["chunk_id"]))
        if number is not None:
            yield _Mark(match.start(), match.end(), Citation(number))
        elif match["chunk_id"] in rejected:
            yield _Mark(match.start(), match.end(), None)


def _figure_marks(figures: Iterable[Mapping[str, Any]], numbers: Mapping[int, int]) -> Iterable[_Mark]:
    for figure in figures:
        found = figure["status"] == FigureStatus.FOUND
        number = numbers.get(figure["chunk_id"]) if found else None
        yield _Mark(figure["start"], figure["end"], FigureMark(figure["text"], number))


def _without_overlaps(marks: list[_Mark]) -> list[_Mark]:
    kept: list[_Mark] = []
    for mark in sorted(marks, key=lambda mark: (mark.start, -mark.end)):
        if mark.start < mark.end and (not kept or mark.start >= kept[-1].end):
            kept.append(mark)
    return kept


def _start(mark: _Mark) -> int:
    return mark.start


def _pieces(text: str, start: int, end: int, marks: list[_Mark]) -> Line:
    pieces: list[Piece] = []
    at = start
    for mark in marks[bisect_left(marks, start, key=_start) : bisect_left(marks, end, key=_start)]:
        if mark.end > end:
            continue
        if mark.start > at:
            pieces.append(Words(text[at : mark.start]))
        if mark.piece is not None:
            pieces.append(mark.piece)
        at = mark.end
    if at < end:
        pieces.append(Words(text[at:end]))
    return tuple(pieces)
