"""Cutting a text into what can be quoted by itself: sentences, tables, lists with what opens them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dofpilot.agent.providers.extractive import tables

LIST_LIMIT = 1200
_SENTENCE_LIMIT = 350
_LEAD_LIMIT = 260

_LINE = re.compile(r"[^\n]+")
_MARK = r"(?:\*\*)?(?:[IVXLC]{1,7}(?: (?:Bis|Ter|Quáter))?|[a-z]|\d{1,2})(?:\.-?|\)|\.?\s?[-–])(?:\*\*)?\s"
_ITEM = re.compile(rf"[ \t]*(?:[-•]|\*[ \t]|{_MARK})")
# «La ley reconoce las siguientes especies: I.- La sociedad en nombre colectivo;»: the first item stays on
# the line that opens the list.
_OPENS_WITH_FIRST = re.compile(r":\s*(?:\*\*)?(?:I|a|1)(?:\.-?|\)|\.?\s?[-–])\s[^:]{0,300}$")
_NOTE = re.compile(r"[ \t]*[*_]([^*_\n]*)[*_][ \t]*$")
_GAZETTE = re.compile(r"\bDOF\b")
# Headings, quotations, rules of tables, and what opens and signs a publication.
_SKIPPED = re.compile(
    r"[ \t]*+(?:#|>|\|?[ \t:|-]*$|.*\bRúbricas?\b"
    r"|Al margen un |Sello del Escudo Nacional al margen|Logotipo al margen"
    r"|(?:Ciudad de )?México,[^\n]{0,12}\ba (?:los )?\d)"
)
_SENTENCE_END = re.compile(r"(?<=\.)\s+(?=(?:\*\*)?[A-ZÁÉÍÓÚÑ¿«“\"(])")
_NO_END = re.compile(r"(?:^|[\s(*])(?:[IVXLC]{1,7}|\d{1,3}[oa]?|[a-zA-Z]|[Aa]rts?|[Nn]o|[Nn]úm|[Ff]racc?)\.$")
# Longer than any of those words with what stands before it.
_NO_END_LENGTH = 10


class Span(NamedTuple):
    """Offsets in the text. ``lead_start`` and ``lead_end`` are of the words that open the list of which it is
    an item, equal when it is none."""

    start: int
    end: int
    lead_start: int = 0
    lead_end: int = 0


_Lines = list[tuple[int, int]]


def spans(text: str) -> Iterator[Span]:
    """In text order, without overlaps. A list or a table too long to quote is cut into its items or rows."""
    lines = [match.span() for match in _LINE.finditer(text) if not _is_skipped(match.group())]
    place = 0
    while place < len(lines):
        last = max(_list_end(text, lines, place), _table_end(text, lines, place))
        if last == place:
            yield from _sentences(text, *lines[place])
        elif lines[last][1] - lines[place][0] <= LIST_LIMIT:
            yield Span(lines[place][0], lines[last][1])
        else:
            yield from _items(text, lines, place, last)
        place = last + 1


def without_notes(text: str) -> str:
    """The lines that say something: no notes of amendment between the items of a list."""
    return "\n".join(line for line in text.splitlines() if not _is_amendment(line))


def opens_list(text: str, start: int, end: int) -> bool:
    return text[start:end].rstrip(" *").endswith(":")


def _is_skipped(line: str) -> bool:
    return line.isspace() or bool(_SKIPPED.match(line)) or _is_amendment(line)


def _is_amendment(line: str) -> bool:
    note = _NOTE.match(line)
    return bool(note and _GAZETTE.search(note[1]))


def _table_end(text: str, lines: _Lines, place: int) -> int:
    """The last row of the table that line ``place`` begins; ``place`` when it is none."""
    last = place
    while last < len(lines) and tables.is_row(text, lines[last][0]):
        last += 1
        if last < len(lines) and tables.is_header(text, lines[last][1]):
            break
    return max(last - 1, place)


def _list_end(text: str, lines: _Lines, place: int) -> int:
    """The last line of the list that line ``place`` opens; ``place`` when it opens none."""
    start, end = lines[place]
    if not opens_list(text, start, end) and not _OPENS_WITH_FIRST.search(text, start, end):
        return place
    last = place
    while last + 1 < len(lines) and _ITEM.match(text, *lines[last + 1]):
        last += 1
    return last


def _items(text: str, lines: _Lines, place: int, last: int) -> Iterator[Span]:
    """Each item or row by itself, with the words that open a list where they are short."""
    start, end = lines[place]
    lead = (start, end) if opens_list(text, start, end) and end - start <= _LEAD_LIMIT else (0, 0)
    if not opens_list(text, start, end):
        yield from _sentences(text, start, end)
    for item in lines[place + 1 : last + 1]:
        for span in _sentences(text, *item):
            yield span._replace(lead_start=lead[0], lead_end=lead[1])


def _sentences(text: str, start: int, end: int) -> Iterator[Span]:
    if end - start <= _SENTENCE_LIMIT:
        yield Span(start, end)
        return
    for match in _SENTENCE_END.finditer(text, start, end):
        if _NO_END.search(text, max(start, match.start() - _NO_END_LENGTH), match.start()):
            continue
        yield Span(start, match.start())
        start = match.end()
    yield Span(start, end)
