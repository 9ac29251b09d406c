"""What can be quoted of a passage, with what its words and figures tell."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from dofpilot.agent.figures.mentions import Mention, scan
from dofpilot.agent.figures.reading import said_in
from dofpilot.agent.outcome import FigureKind
from dofpilot.agent.providers.extractive import tables
from dofpilot.agent.providers.extractive.spans import Span, opens_list, spans, without_notes
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.types import Passage

_SHORTEST = 20
_INLINE_ITEM = re.compile(r"(?:^|[\s*])(?:[IVXLC]{1,7}|[a-z]|\d{1,2})(?:\.-?|\))\s")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_RECITAL = re.compile(
    r"[\s*]*(?:\w{1,12}[.)]-?[\s*]*)?(?:Que,?|En cumplimiento|En ejercicio|En uso)\s"
    r"|[^.;]{0,200}\b[Cc]on (?:apoyo|fundamento|base) en (?:los?|el) "
)
# In any of the ways in which answers write citations: «[12]», «【12】», «[^12]», «[chunk 12]», «(pasaje 12)».
_LIKE_A_CITATION = re.compile(
    r"[\[［【〔⟦〚][^\]］】〕⟧〛\n]{0,40}\d|[({]\W{0,5}(?:chunk|pasaje)", re.IGNORECASE
)
_MARKS = re.compile(r"\*+|(?<!\w)_+|(?<!_)_+(?!\w)|^#+\s*|`+")
_OPENING = re.compile(r"[ \t*#>]*\Z")
_LEFT_OUT = " […] "


# Compared by identity: each is made once, and its passage is long to compare.
@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """``start`` and ``end`` are offsets in ``passage.text``, ``figures`` those that stand between them.

    ``quotes`` are the words as the passage has them, without Markdown marks and notes of amendment: one
    quotation, with the words that open the list of which it is an item (``lead``), or one for each of the
    rows of a table that say most of what is asked, with the names of its columns. ``terms`` and ``years`` are
    of the quotations without the lead, dates in the form of figures among them. ``article``: the one to
    which it belongs, in the normal form of figures, or empty. ``is_recital``: it gives a reason or a ground
    of the publication («Que ...», «Con fundamento en ...»), not what it orders.
    """

    passage: Passage
    start: int
    end: int
    lead: str
    quotes: tuple[str, ...]
    terms: frozenset[str]
    years: frozenset[str]
    figures: tuple[Mention, ...]
    article: str
    is_list: bool
    is_recital: bool

    @property
    def has_quantity(self) -> bool:
        """It names an amount, a percentage or a number with decimals."""
        return any(map(_is_quantity, self.figures))

    @property
    def length(self) -> int:
        """Characters of its quotations."""
        return sum(map(len, self.quotes))

    @property
    def text(self) -> str:
        """Its words without Markdown marks, on their lines."""
        return _plain(without_notes(self.passage.text[self.start : self.end]))


def units(passage: Passage, asked: frozenset[str] = frozenset()) -> list[Unit]:
    """In text order, without overlaps. What says nothing by itself is left out: headings, notes of amendment,
    the words that open a list too long to quote, or one that the publication itself leaves out; so is what
    would read as a citation in an answer."""
    page = _Page(passage, asked, said_in(passage), articles(passage), tables.headers(passage.text))
    found = (_unit(page, span) for span in spans(passage.text) if _is_quotable(passage, span))
    return [unit for unit in found if not any(map(is_like_a_citation, unit.quotes))]


def is_like_a_citation(text: str) -> bool:
    return bool(_LIKE_A_CITATION.search(text))


def years_in(text: str) -> list[str]:
    return _YEAR.findall(text)


def articles(passage: Passage) -> list[tuple[int, str]]:
    """Where each article begins in the text and its normal form, in text order; what comes before the first
    that opens belongs to the one that the headings name first."""
    above = [figure.value for figure in scan("\n".join(passage.heading_path[-1:])) if _is_article(figure)]
    starts = (
        (passage.text.rfind("\n", 0, figure.start) + 1, figure)
        for figure in said_in(passage)
        if _is_article(figure)
    )
    opened = [
        (start, figure.value) for start, figure in starts if _OPENING.match(passage.text, start, figure.start)
    ]
    return [(0, above[0]), *opened] if above else opened


def _is_article(figure: Mention) -> bool:
    return figure.kind is FigureKind.ARTICLE and "." not in figure.value


def _is_quotable(passage: Passage, span: Span) -> bool:
    text = passage.text[span.start : span.end]
    return (
        span.end - span.start >= _SHORTEST
        and not _left_out(text)
        and not opens_list(passage.text, span.start, span.end)
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """A passage, the terms asked for, and what is looked up in it for each sentence: figures and articles in
    text order, headers of tables by the offset of each row."""

    passage: Passage
    asked: frozenset[str]
    figures: tuple[Mention, ...]
    articles: list[tuple[int, str]]
    headers: dict[int, str]

    def figures_in(self, span: Span) -> tuple[Mention, ...]:
        first, end = (bisect_left(self.figures, place, key=lambda one: one.start) for place in span[:2])
        return self.figures[first:end]

    def article_of(self, span: Span) -> str:
        opened = bisect_right(self.articles, span.start, key=lambda one: one[0])
        return self.articles[opened - 1][1] if opened else ""

    def rows(self, span: Span) -> list[str]:
        lines = _plain(self.passage.text[span.start : span.end]).splitlines()
        return tables.matching(tables.rows(lines, _plain(self.headers.get(span.start, ""))), self.asked)


def _unit(page: _Page, span: Span) -> Unit:
    passage, figures = page.passage, page.figures_in(span)
    text = passage.text[span.start : span.end]
    lead = _plain(passage.text[span.lead_start : span.lead_end]).strip()
    said = page.rows(span) if tables.is_row(text) else [_on_one_line(text)]
    days = (figure.value for figure in figures if figure.kind is FigureKind.DATE)
    return Unit(
        passage,
        span.start,
        span.end,
        lead=lead,
        quotes=tuple(lead + _LEFT_OUT * bool(lead) + one for one in said),
        terms=frozenset((*terms(" ".join(said)), *days)),
        years=frozenset(years_in(" ".join(said))),
        figures=figures,
        article=page.article_of(span),
        is_list=len(_INLINE_ITEM.findall(text)) >= 2,
        is_recital=bool(_RECITAL.match(text)),
    )


def _on_one_line(text: str) -> str:
    return " ".join(_plain(without_notes(text)).split())


def _plain(text: str) -> str:
    return _MARKS.sub("", text)


def _is_quantity(figure: Mention) -> bool:
    measured = figure.kind in (FigureKind.AMOUNT, FigureKind.PERCENTAGE)
    return measured or (figure.kind is FigureKind.NUMBER and "." in figure.value)


def _left_out(text: str) -> bool:
    """«Son obligaciones de los patrones: ...»: a decree leaves out so what it does not reform."""
    return text.rstrip(" *").endswith(("...", "…")) and text.rstrip(" .…*").endswith((":", "-"))
