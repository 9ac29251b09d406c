"""How a run's searches rank what they find: what was asked for against what a corpus offers."""

from __future__ import annotations

from enum import StrEnum

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.types import Strategy, VectorState


class RetrievalMode(StrEnum):
    """One strategy whatever happens, or the best one that the corpus offers."""

    AUTO = "auto"
    LEXICAL = Strategy.LEXICAL.value
    VECTOR = Strategy.VECTOR.value
    HYBRID = Strategy.HYBRID.value


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
