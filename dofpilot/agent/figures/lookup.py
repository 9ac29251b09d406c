"""Figure check: each figure of an answer, looked up in the passages that the answer cites.

A figure that was not found is marked, not judged: a passage may say it in a way that is not read here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dofpilot.agent.figures import norms
from dofpilot.agent.figures.mentions import Mention, scan
from dofpilot.agent.figures.openings import opening
from dofpilot.agent.figures.reading import said_around, said_in
from dofpilot.agent.outcome import MARKER, Figure, FigureKind, FigureStatus
from dofpilot.agent.spanish.published import names_publication
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.folding import fold_in_place
from dofpilot.corpus.types import Passage

_YEAR = re.compile(r"(?:19|20)\d\d")
_PUBLISHED_BEFORE = re.compile(r"(?:\bdof|diario oficial|\bpublic)[^.;]{0,60}$")


def check(answer_text: str, passages: Sequence[Passage]) -> tuple[Figure, ...]:
    """Every figure of the answer, in order, with the place where one of the cited ``passages`` says it.

    Said by a passage's title or headings, or being the publication date where the answer calls it so («DOF»,
    «publicado», «el decreto del …»), counts as found with ``chunk_id`` and no offsets. Citation markers and
    the numbers of a list are no figures.
    """
    folded = fold_in_place(answer_text)
    return tuple(
        _figure(answer_text, mention, folded, _nearest_first(passages, answer_text, mention.end))
        for mention in scan(answer_text)
    )


def _nearest_first(passages: Sequence[Passage], answer_text: str, position: int) -> list[Passage]:
    """The passages in the order in which the answer cites them after ``position``."""
    order: dict[int, int] = {}
    for match in MARKER.finditer(answer_text, position):
        order.setdefault(int(match["chunk_id"]), match.start())
    return sorted(passages, key=lambda passage: order.get(passage.chunk_id, len(answer_text)))


def _figure(answer_text: str, mention: Mention, folded: str, passages: list[Passage]) -> Figure:
    chunk_id, place = _place(mention, folded, passages)
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
    mention: Mention, folded: str, passages: list[Passage]
) -> tuple[int | None, tuple[int, int] | None]:
    for passage in passages:
        if place := _in_text(mention, passage):
            return passage.chunk_id, place
    for passage in passages:
        if _in_metadata(mention, folded, passage):
            return passage.chunk_id, None
    return None, None


def _in_text(mention: Mention, passage: Passage) -> tuple[int, int] | None:
    for said in said_in(passage):
        if _says(mention, said):
            return said.start, said.end
    return opening(mention.value, passage) if mention.kind is FigureKind.ARTICLE else None


def _in_metadata(mention: Mention, folded: str, passage: Passage) -> bool:
    if any(_says(mention, said) for said in said_around(passage)):
        return True
    published = passage.publication.publication_date.isoformat()
    return (
        mention.kind is FigureKind.DATE
        and dates.same(mention.value, published)
        and _calls_it_published(folded, mention.start)
    )


def _calls_it_published(folded: str, place: int) -> bool:
    return bool(_PUBLISHED_BEFORE.search(folded, 0, place)) or names_publication(folded, place)


def _says(asked: Mention, said: Mention) -> bool:
    if asked.kind is FigureKind.DATE:
        return said.kind is FigureKind.DATE and dates.same(asked.value, said.value)
    if asked.kind is FigureKind.NORM:
        return said.kind is FigureKind.NORM and norms.same(asked.value, said.value)
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
