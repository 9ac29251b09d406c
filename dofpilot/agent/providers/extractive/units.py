"""Cutting a passage into what can be quoted: sentences, table rows, lists with what opens them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dofpilot.agent.figures.mentions import Mention
from dofpilot.agent.figures.reading import said_in
from dofpilot.agent.outcome import FigureKind
from dofpilot.agent.providers.extractive import tables
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.types import Passage

LIST_LIMIT = 900
_SENTENCE_LIMIT = 350
_SHORTEST = 20

_LINE = re.compile(r"[^\n]*\S[^\n]*")
_ITEM = re.compile(
    r"[ \t]*(?:[-•]|\*[ \t]|(?:\*\*)?(?:[IVXLC]{1,7}|[a-z]|\d{1,2})(?:\.-?|\)|\.?\s?[-–])(?:\*\*)?\s)"
)
# Headings, quotations, rules of tables, notes of amendment, and what opens and signs a publication.
_SKIPPED = re.compile(
    r"[ \t]*(?:#|>|\|?[ \t:|-]*$|[*_][^*_]*\bDOF\b[^*_]*[*_][ \t]*$|.*\bRúbricas?\b"
    r"|Al margen un sello|Logotipo al margen|(?:Ciudad de )?México,[^\n]{0,12}\ba (?:los )?\d)"
)
_SENTENCE_END = re.compile(r"(?<=\.)\s+(?=(?:\*\*)?[A-ZÁÉÍÓÚÑ¿«“\"(])")
_NO_END = re.compile(r"(?:^|[\s(*])(?:[IVXLC]{1,7}|\d{1,3}[oa]?|[a-zA-Z]|[Aa]rts?|[Nn]o|[Nn]úm|[Ff]racc?)\.$")
_INLINE_ITEM = re.compile(r"(?:^|[\s*])(?:[IVXLC]{1,7}|[a-z]|\d{1,2})(?:\.-?|\))\s")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_RECITAL = re.compile(
    r"[\s*]*(?:\w{1,12}[.)]-?[\s*]*)?(?:Que,?|En cumplimiento|En ejercicio|En uso)\s"
    r"|[^.;]{0,200}\b[Cc]on (?:apoyo|fundamento|base) en (?:los?|el) "
)
# A bracketed number inside a quotation would read as a citation.
_BRACKETED_NUMBER = re.compile(r"\[\s*\d")
_MARKS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)|^#+\s*|`+")


@dataclass(frozen=True, slots=True)
class Unit:
    """``start`` and ``end`` are offsets in ``passage.text``.

    ``has_quantity``: it names an amount, a percentage or a number with decimals. ``is_recital``: it gives
    a reason or a ground of the publication («Que ...», «Con fundamento en ...»), not what it orders.
    ``asked``: terms that choose among the rows of a table.
    """

    passage: Passage
    start: int
    end: int
    terms: frozenset[str]
    years: frozenset[str]
    has_figure: bool
    has_quantity: bool
    is_list: bool
    is_recital: bool
    asked: frozenset[str]

    @property
    def text(self) -> str:
        """Its words without Markdown marks, on their lines."""
        return _plain(self.passage.text[self.start : self.end])

    @property
    def quotes(self) -> list[str]:
        """The words as the passage has them, without Markdown marks: one quotation, or one for each of
        the rows of a table that say most of what is asked, with the names of its columns."""
        lines = self.text.splitlines()
        if tables.is_row(lines[0]):
            rows = tables.rows(lines, _plain(tables.header_above(self.passage.text, self.start)))
            return tables.matching(rows, self.asked)
        return [" ".join(" ".join(lines).split())]


def _plain(text: str) -> str:
    return _MARKS.sub("", text)


def units(passage: Passage, asked: frozenset[str] = frozenset()) -> list[Unit]:
    """In text order, without overlaps. What says nothing by itself is left out: headings, notes of amendment,
    the words that open a list too long to quote, or one that the publication itself leaves out."""
    return [
        _unit(passage, start, end, asked)
        for start, end in _spans(passage.text)
        if end - start >= _SHORTEST
        and not _BRACKETED_NUMBER.search(passage.text, start, end)
        and not _left_out(passage.text[start:end])
        and not _opens_list(passage.text, start, end)
    ]


def years_in(text: str) -> list[str]:
    return _YEAR.findall(text)


def _unit(passage: Passage, start: int, end: int, asked: frozenset[str]) -> Unit:
    text = passage.text[start:end]
    figures = [figure for figure in said_in(passage) if start <= figure.start < end]
    return Unit(
        passage,
        start,
        end,
        terms=frozenset(terms(text)),
        years=frozenset(years_in(text)),
        has_figure=bool(figures),
        has_quantity=any(map(_is_quantity, figures)),
        is_list=len(_INLINE_ITEM.findall(text)) >= 2,
        is_recital=bool(_RECITAL.match(text)),
        asked=asked,
    )


def _is_quantity(figure: Mention) -> bool:
    measured = figure.kind in (FigureKind.AMOUNT, FigureKind.PERCENTAGE)
    return measured or (figure.kind is FigureKind.NUMBER and "." in figure.value)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    lines = [match.span() for match in _LINE.finditer(text) if not _SKIPPED.match(match.group())]
    place = 0
    while place < len(lines):
        last = max(_list_end(text, lines, place), _table_end(text, lines, place))
        if last > place:
            yield lines[place][0], lines[last][1]
        else:
            yield from _sentences(text, *lines[place])
        place = last + 1


def _table_end(text: str, lines: list[tuple[int, int]], place: int) -> int:
    """The last row of the table that line ``place`` begins; ``place`` when it is none, or a long one."""
    last = place - 1
    while last + 1 < len(lines) and tables.is_row(text, lines[last + 1][0]):
        last += 1
    return last if last > place and lines[last][1] - lines[place][0] <= LIST_LIMIT else place


def _opens_list(text: str, start: int, end: int) -> bool:
    return text[start:end].rstrip(" *").endswith(":")


def _left_out(text: str) -> bool:
    """«Son obligaciones de los patrones: ...»: a decree leaves out so what it does not reform."""
    return text.rstrip(" *").endswith(("...", "…")) and text.rstrip(" .…*").endswith((":", "-"))


def _list_end(text: str, lines: list[tuple[int, int]], place: int) -> int:
    """The last line of the list that line ``place`` opens with a colon; ``place`` when it opens none."""
    start, end = lines[place]
    if not _opens_list(text, start, end):
        return place
    last = place
    while last + 1 < len(lines) and _ITEM.match(text, *lines[last + 1]):
        last += 1
    return last if lines[last][1] - start <= LIST_LIMIT else place


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if end - start <= _SENTENCE_LIMIT:
        yield start, end
        return
    for match in _SENTENCE_END.finditer(text, start, end):
        if _NO_END.search(text, start, match.start()):
            continue
        yield start, match.start()
        start = match.end()
    yield start, end
