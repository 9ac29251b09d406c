"""A cited passage as coverage reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dofpilot.agent.coverage.ranges import Range, find
from dofpilot.agent.figures.mentions import Mention
from dofpilot.agent.figures.reading import PASSAGES_KEPT, said_around, said_in
from dofpilot.agent.outcome import FigureKind
from dofpilot.corpus.text.folding import fold_in_place
from dofpilot.corpus.types import Passage

_VALUES = frozenset({FigureKind.AMOUNT, FigureKind.PERCENTAGE})


@dataclass(frozen=True, slots=True)
class Source:
    """A passage and what it says, folded: ``said`` is its document's title, its headings and its text."""

    passage: Passage
    headings: tuple[str, ...]
    text: str
    said: str

    def mentions(self, kind: FigureKind) -> list[Mention]:
        said = (*said_around(self.passage), *said_in(self.passage))
        return [mention for mention in said if mention.kind is kind]

    @property
    def gives_value(self) -> bool:
        """Whether its text has an amount, a percentage or a number with decimals."""
        return any(
            mention.kind in _VALUES or (mention.kind is FigureKind.NUMBER and "." in mention.value)
            for mention in said_in(self.passage)
        )

    @property
    def ranges(self) -> frozenset[Range]:
        return _ranges(self.said)


# Every turn asks again what was read so far.
@lru_cache(PASSAGES_KEPT)
def source(passage: Passage) -> Source:
    headings = tuple(map(fold_in_place, passage.heading_path))
    text = fold_in_place(passage.text)
    said = "\n".join((fold_in_place(passage.publication.title), *headings, text))
    return Source(passage, headings, text, said)


@lru_cache(PASSAGES_KEPT)
def _ranges(said: str) -> frozenset[Range]:
    return frozenset(found.range for found in find(said))
