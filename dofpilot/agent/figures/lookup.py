"""Figure check: each figure of an answer, looked up in the passages that the answer cites.

A figure that was not found is marked, not judged: a passage may say it in a way that is not read here.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dofpilot.agent.figures.mentions import Mention, scan
from dofpilot.agent.figures.openings import opening
from dofpilot.agent.figures.reading import Said, by_value, said_around, said_in
from dofpilot.agent.outcome import MARKER, Figure, FigureKind, FigureStatus
from dofpilot.agent.spanish.published import names_publication
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.folding import fold_in_place
from dofpilot.corpus.types import Passage

_PUBLISHED_BEFORE = re.compile(r"(?:\bdof|diario oficial|\bpublic)[^.;]{0,60}$")
_PUBLISHED_LENGTH = 80
_NOT_FOUND = re.compile(
    r"\bno\s(?:(?:se|lo|la|los|las|he|hemos|ha|han|pude|pudo|pudimos|logre|logro|fue\sposible)\s){0,3}"
    r"(?:encontr|hall|localiz|mencion)[a-z]*\b"
    # The clause goes on through a list of figures.
    r"(?P<denied>(?:[^.,:;!?\n]|[.,](?=\d)|,(?=\s[\d$«“\"]))*)"
)
_EXCEPT = re.compile(
    r"\b(?:otr[oa]s?|mas|menos|sino|pero|salvo|excepto|aparte|solo|aunque|mientras|es|son|fue|fueron|sera|seran)\b"
    r"|\sy\s(?![\d$«“\"])"
)


@dataclass(frozen=True, slots=True)
class _Source:
    passage: Passage
    text: Said
    around: Said


def check(answer_text: str, passages: Sequence[Passage]) -> tuple[Figure, ...]:
    """Every figure of the answer, in order, with the place where one of the cited ``passages`` says it.

    Said by a passage's title or headings, or being the publication date where the answer calls it so («DOF»,
    «publicado», «el decreto del …»), counts as found with ``chunk_id`` and no offsets. Citation markers and
    the numbers of a list are no figures; what the answer says it did not find is one only if it was found.
    """
    folded, nearest_first = fold_in_place(answer_text), _by_nearness(passages, answer_text)
    figures = (
        _figure(answer_text, mention, folded, nearest_first(mention.end)) for mention in scan(answer_text)
    )
    denied = _denied(folded)
    return tuple(
        figure
        for figure in figures
        if figure.status is FigureStatus.FOUND or not any(figure.start in place for place in denied)
    )


def _denied(folded: str) -> list[range]:
    """Where a clause tells what was not found. «No encontré otro valor que 5» says that it is 5."""
    return [
        range(*match.span("denied"))
        for match in _NOT_FOUND.finditer(folded)
        if not _EXCEPT.search(match["denied"])
    ]


def _by_nearness(passages: Sequence[Passage], answer_text: str) -> Callable[[int], list[_Source]]:
    """The passages in the order in which the answer cites them after a position."""
    sources = [
        _Source(passage, by_value(said_in(passage)), by_value(said_around(passage))) for passage in passages
    ]
    uses: dict[int, list[int]] = {}
    for match in MARKER.finditer(answer_text):
        uses.setdefault(int(match["chunk_id"]), []).append(match.start())

    def nearest_first(position: int) -> list[_Source]:
        def distance(source: _Source) -> int:
            places = uses.get(source.passage.chunk_id, [])
            following = bisect_left(places, position)
            return places[following] if following < len(places) else len(answer_text)

        return sorted(sources, key=distance)

    return nearest_first


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
        if _in_metadata(mention, folded, source):
            return source.passage.chunk_id, None
    return None, None


def _in_text(mention: Mention, source: _Source) -> tuple[int, int] | None:
    if said := source.text.find(mention):
        return said.start, said.end
    return opening(mention.value, source.passage) if mention.kind is FigureKind.ARTICLE else None


def _in_metadata(mention: Mention, folded: str, source: _Source) -> bool:
    if source.around.find(mention):
        return True
    published = source.passage.publication.publication_date.isoformat()
    return (
        mention.kind is FigureKind.DATE
        and dates.same(mention.value, published)
        and _calls_it_published(folded, mention.start)
    )


def _calls_it_published(folded: str, place: int) -> bool:
    before = max(0, place - _PUBLISHED_LENGTH)
    return bool(_PUBLISHED_BEFORE.search(folded, before, place)) or names_publication(folded, place)
