"""Figure check: each figure of an answer, looked up in the passages that the answer cites.

A figure that was not found is marked, not judged: a passage may say it in a way that is not read here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dofpilot.agent.figures.mentions import Mention, scan
from dofpilot.agent.outcome import Figure, FigureKind, FigureStatus
from dofpilot.agent.spanish import dates
from dofpilot.agent.spanish.text import fold
from dofpilot.corpus.types import Passage

_MARKER = re.compile(r"\[(\d+)\]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_PUBLISHED_BEFORE = re.compile(r"(?:\bdof|diario oficial|\bpublic)[^.;]{0,60}$")


def check(answer_text: str, passages: Sequence[Passage]) -> tuple[Figure, ...]:
    """Every figure of the answer, in order, with the place where one of the cited ``passages`` says it.

    Said by a passage's title or headings, or being the publication date after «DOF» or «publicado», counts as
    found with ``chunk_id`` and no offsets. Citation markers and the numbers of a list are no figures.
    """
    sources = [_Source(passage, scan(passage.text)) for passage in passages]
    folded = fold(answer_text)
    return tuple(
        _figure(answer_text, mention, folded, _nearest_first(sources, answer_text, mention.end))
        for mention in scan(answer_text)
    )


@dataclass(frozen=True, slots=True)
class _Source:
    passage: Passage
    mentions: tuple[Mention, ...]


def _nearest_first(sources: list[_Source], answer_text: str, position: int) -> list[_Source]:
    """The passages in the order in which the answer cites them after ``position``."""
    order = {
        int(match[1]): match.start() for match in reversed(list(_MARKER.finditer(answer_text, position)))
    }
    return sorted(sources, key=lambda source: order.get(source.passage.chunk_id, len(answer_text)))


def _figure(answer_text: str, mention: Mention, folded: str, sources: list[_Source]) -> Figure:
    chunk_id, place = _place(mention, folded, sources)
    return Figure(
        text=answer_text[mention.start : mention.end],
        kind=mention.kind,
        value=mention.value,
        start=mention.start,
        end=mention.end,
        status=FigureStatus.NOT_FOUND if chunk_id is None else FigureStatus.FOUND,
        chunk_id=chunk_id,
        chunk_start=place[0] if place else None,
        chunk_end=place[1] if place else None,
    )


def _place(
    mention: Mention, folded: str, sources: list[_Source]
) -> tuple[int | None, tuple[int, int] | None]:
    for source in sources:
        if place := _in_text(mention, source):
            return source.passage.chunk_id, place
    for source in sources:
        if _in_metadata(mention, folded, source.passage):
            return source.passage.chunk_id, None
    return None, None


def _in_text(mention: Mention, source: _Source) -> tuple[int, int] | None:
    for said in source.mentions:
        if _says(mention, said):
            return said.start, said.end
    if mention.kind is FigureKind.ARTICLE and "." in mention.value:
        return _numeral_in(mention.value, source.passage.text)
    return None


def _numeral_in(value: str, text: str) -> tuple[int, int] | None:
    """A norm's numeral opens its own text without the word «numeral»: ``8.3 Las medidas ...``."""
    match = re.search(rf"(?<![\w.]){re.escape(value)}(?!\.?\d)", text)
    return match.span() if match else None


def _in_metadata(mention: Mention, folded: str, passage: Passage) -> bool:
    publication = passage.publication
    headings = "\n".join((publication.title, *passage.heading_path))
    if any(_says(mention, said) for said in scan(headings)):
        return True
    published = publication.publication_date.isoformat()
    return (
        mention.kind is FigureKind.DATE
        and dates.same(mention.value, published)
        and bool(_PUBLISHED_BEFORE.search(folded, 0, mention.start))
    )


def _says(asked: Mention, said: Mention) -> bool:
    if asked.kind is FigureKind.DATE:
        return said.kind is FigureKind.DATE and dates.same(asked.value, said.value)
    if asked.kind is FigureKind.NORM:
        return said.kind is FigureKind.NORM and f"{said.value}-".startswith(f"{asked.value}-")
    if asked.kind is FigureKind.NUMBER and said.kind is FigureKind.DATE:
        return bool(_YEAR.fullmatch(asked.value)) and said.value.startswith(f"{asked.value}-")
    return said.kind in _SAID_AS[asked.kind] and asked.value == said.value


# A table gives amounts as bare numbers under a heading; a percentage or an article is never one.
_SAID_AS = {
    FigureKind.AMOUNT: {FigureKind.AMOUNT, FigureKind.NUMBER},
    FigureKind.NUMBER: {FigureKind.NUMBER, FigureKind.AMOUNT},
    FigureKind.PERCENTAGE: {FigureKind.PERCENTAGE},
    FigureKind.ARTICLE: {FigureKind.ARTICLE},
}
