"""Cut a document into chunks: contiguous spans that cover its whole text and follow its structure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from dofpilot.corpus.sources.structure import Unit, units

CHUNKER_VERSION = "dofpilot-chunker-2"

TARGET = 2_800
"""Characters that a chunk grows to, where the structure allows it: of 1,600 to 2,800 the best at fixed k."""
MAXIMUM = 3_200
"""Characters that no chunk passes: about 800 tokens."""
_SMALL = 300
"""A chunk shorter than this rather grows past the target than stands alone."""
_HEADING_BREAK = 800
"""A chunk of at least this length ends where a new heading begins."""
_HEADER_LIMIT = 600
"""A longer table header is not repeated: it would be no help but a second text."""

_SEPARATORS = ("\n\n", "\n", ". ", "; ", ", ", " ")
_TABLE = re.compile(r"\n[ \t]{0,8}\|[^\n]*(?:\n[ \t]{0,8}\|[^\n]*)+")
_RULE = re.compile(r"[ \t|:\-\r]+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Character offsets in the document's text, and what the text alone does not say.

    ``labels`` are the articles and numerals inside, each by itself; ``heading_path`` ends in their range.
    ``context`` is the header of the table that the chunk begins in the middle of.
    """

    start: int
    end: int
    heading_path: tuple[str, ...]
    labels: tuple[str, ...] = ()
    context: str = ""


@dataclass(frozen=True, slots=True)
class _Table:
    body_start: int
    end: int
    header: str


def chunk(text: str) -> tuple[Chunk, ...]:
    """Partition ``text``: the first chunk starts at 0, each next one where the last ended. Linear time."""
    tables = list(_tables(text))
    starts = [table.body_start for table in tables]
    return tuple(
        Chunk(start, end, _path(members), _labels(members), _context(start, tables, starts))
        for start, end, members in _pack(text)
        if end > start
    )


def _pack(text: str) -> Iterator[tuple[int, int, list[Unit]]]:
    start, members = 0, list[Unit]()
    for unit in units(text):
        if members and _closes(start, members, unit):
            yield start, unit.start, members
            start, members = unit.start, []
        members.append(unit)
        for cut in _cuts(text, start, unit.end):
            yield start, cut, members
            start, members = cut, [unit]
    yield start, len(text), members


def _closes(start: int, members: list[Unit], unit: Unit) -> bool:
    size, total = unit.start - start, unit.end - start
    if size < _SMALL or all(member.bare for member in members):
        return total > MAXIMUM and not members[-1].bare
    return total > TARGET or (unit.opens and size >= _HEADING_BREAK)


def _cuts(text: str, start: int, end: int) -> Iterator[int]:
    while end - start > MAXIMUM:
        start = _cut(text, start)
        yield start


def _cut(text: str, start: int) -> int:
    """The last paragraph end before the target, or else the first after it, or else a lesser pause."""
    low, high = start + TARGET // 2, start + TARGET
    for separator in _SEPARATORS:
        place = text.rfind(separator, low, high)
        if place < 0 and "\n" in separator:
            place = text.find(separator, high, start + MAXIMUM)
        if place >= 0:
            return place + len(separator)
    return high


def _path(members: list[Unit]) -> tuple[str, ...]:
    """The headings that all members share, and then the first and the last of what differs."""
    paths = [unit.path for unit in members if unit.path and not unit.bare] or [members[-1].path]
    first, last = paths[0], paths[-1]
    if first == last:
        return first
    pairs = enumerate(zip(first, last, strict=False))
    shared = next((place for place, (a, b) in pairs if a != b), min(len(first), len(last)))
    path = (*first[:shared], _range(first[shared : shared + 1] + last[shared : shared + 1]))
    if min(len(first), len(last)) > shared + 1:
        path = (*path, _range((first[-1], last[-1])))
    return path


def _range(ends: tuple[str, ...]) -> str:
    return " – ".join(dict.fromkeys(ends))


def _labels(members: list[Unit]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit.label for unit in members if unit.label))


def _tables(text: str) -> Iterator[_Table]:
    if "|" not in text:
        return
    for match in _TABLE.finditer("\n" + text):
        rows = match[0][1:].split("\n", 2)
        header = rows[:2] if _RULE.fullmatch(rows[1]) else rows[:1]
        length = sum(len(row) + 1 for row in header)
        yield _Table(match.start() + length, match.end() - 1, "\n".join(header))


def _context(start: int, tables: list[_Table], starts: list[int]) -> str:
    place = bisect_right(starts, start) - 1
    if place < 0 or start >= tables[place].end or len(tables[place].header) > _HEADER_LIMIT:
        return ""
    # The first row of the body follows its header in the chunk before; only from there on it is missing.
    return tables[place].header
