"""How a run's searches rank what they find: what was asked for against what a corpus offers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.text.shares import rounded_down
from dofpilot.corpus.types import Retrieval, Strategy, VectorState


class RetrievalMode(StrEnum):
    """One strategy whatever happens, or the best one that the corpus offers."""

    AUTO = "auto"
    LEXICAL = Strategy.LEXICAL.value
    VECTOR = Strategy.VECTOR.value
    HYBRID = Strategy.HYBRID.value


@dataclass(slots=True)
class Searches:
    """How the searches of a run were done, for whoever asks: as it works, and also when it failed.

    ``given_up`` is the strategy that was planned for all of them and that the corpus no longer offered.
    """

    given_up: Strategy | None = None
    done: list[Retrieval] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.done)

    @property
    def by_vectors(self) -> int:
        """Those that compared vectors; that there are some does not say so."""
        return sum(retrieval.vector_share > 0 for retrieval in self.done)

    @property
    def fallen_back(self) -> int:
        """Those that were to compare vectors and found by words alone."""
        return sum(bool(retrieval.fallback) for retrieval in self.done)

    @property
    def smallest_share(self) -> float | None:
        """Of all passages, the share with vectors where a search had fewest; ``None`` where none had any."""
        return min((how.vector_share for how in self.done if how.vector_share > 0), default=None)

    def told(self) -> dict[str, Any]:
        """For the provenance of a run that has ended."""
        share = self.smallest_share
        return {
            "vector_used": self.by_vectors > 0,
            "searches_by_vectors": self.by_vectors,
            "searches_fallen_back": self.fallen_back,
            "smallest_vector_share": None if share is None else rounded_down(share),
        }


UNTOLD = dict.fromkeys(Searches().told())
"""The same keys before the end of a run."""


def choose(mode: RetrievalMode, offered: frozenset[Strategy], vectors: VectorState | None) -> Strategy:
    """The strategy of a run over a corpus that offers some and has these vectors, or none.

    Raise ``CorpusUnavailable`` with the reason when a fixed mode is not offered: nobody who asked for
    vectors gets an answer without them unawares.
    """
    if mode is RetrievalMode.AUTO:
        return Strategy.HYBRID if Strategy.HYBRID in offered else Strategy.LEXICAL
    wanted = Strategy(mode.value)
    if wanted not in offered:
        raise CorpusUnavailable(f"el acervo no ofrece «{wanted}»: {_why_not(vectors)}")
    return wanted


def _why_not(vectors: VectorState | None) -> str:
    if vectors is None:
        return "no tiene vectores (los hace embed_corpus)"
    # What is usable and not offered is a search by vectors alone with some of them missing.
    return vectors.unusable or "faltan los vectores de una parte de sus pasajes (los completa embed_corpus)"
