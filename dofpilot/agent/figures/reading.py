"""The figures of a passage, each read once: every turn of a run asks for them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from dofpilot.agent.figures import norms
from dofpilot.agent.figures.mentions import Mention, scan
from dofpilot.agent.outcome import FigureKind
from dofpilot.corpus.text import dates
from dofpilot.corpus.types import Passage

# A run reads fifty passages at most; a worker may have several runs at hand.
PASSAGES_KEPT = 512

# A table gives amounts as bare numbers under a heading; a percentage or an article is never one.
_ALSO = {FigureKind.AMOUNT: FigureKind.NUMBER, FigureKind.NUMBER: FigureKind.AMOUNT}


@dataclass(frozen=True, slots=True)
class Said:
    """What a text says: ``first`` to say each figure that may be asked for, by its unit, and the norms in
    their order."""

    first: Mapping[tuple[FigureKind, str], Mapping[str, Mention]]
    norms: tuple[Mention, ...]

    def find(self, asked: Mention) -> Mention | None:
        """The first mention of what ``asked`` says, or of more than it: the date of which it is the month."""
        if asked.kind is FigureKind.NORM:
            return next((said for said in self.norms if norms.same(asked.value, said.value)), None)
        by_unit = self.first.get((asked.kind, asked.value), {})
        fitting = (said for said in by_unit.values() if not _contradict(said.unit, asked.unit))
        return min(fitting, key=lambda said: said.start, default=None)


def _contradict(unit: str, other: str) -> bool:
    return bool(unit and other) and unit != other


@lru_cache(PASSAGES_KEPT)
def said_in(passage: Passage) -> tuple[Mention, ...]:
    """Figures of the text, with offsets in it."""
    return scan(passage.text)


@lru_cache(PASSAGES_KEPT)
def said_around(passage: Passage) -> tuple[Mention, ...]:
    """Figures of the document's title and of the headings above; their offsets mean nothing."""
    return scan("\n".join((passage.publication.title, *passage.heading_path)))


@lru_cache(2 * PASSAGES_KEPT)
def by_value(mentions: tuple[Mention, ...]) -> Said:
    first: dict[tuple[FigureKind, str], dict[str, Mention]] = {}
    for mention in mentions:
        for asked in _asked_by(mention):
            first.setdefault(asked, {}).setdefault(mention.unit, mention)
    return Said(first, tuple(mention for mention in mentions if mention.kind is FigureKind.NORM))


def _asked_by(said: Mention) -> Iterator[tuple[FigureKind, str]]:
    """Every figure that ``said`` is an answer to."""
    if said.kind is not FigureKind.DATE:
        # Words may say the sign of what a table gives as -5: «bajó 5 por ciento».
        for value in dict.fromkeys((said.value, said.value.removeprefix("-"))):
            yield said.kind, value
            if also := _ALSO.get(said.kind):
                yield also, value
    if said.kind is FigureKind.DATE:
        for form in dates.forms(said.value):
            yield FigureKind.DATE, form
        if said.value.startswith(("19", "20")):
            yield FigureKind.NUMBER, said.value[:4]
