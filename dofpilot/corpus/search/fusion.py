"""One order out of two: what the words say of a passage and what its vectors say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dofpilot.corpus.search.lexical import ChunkHit
from dofpilot.corpus.types import Score

VECTOR = "vector"
"""The boost that a passage gets for its vectors, by the name that a score shows."""

_LEAST_WEIGHT, _MOST_WEIGHT = 0.35, 0.65
_RARE = 0.5
"""Rarity of a query's terms from which on words count most."""


def lexical_weight(rarity: float) -> float:
    """The share of the words in a fused score, from how rare a query's terms are (0 to 1).

    Identifiers and terms of art are rare, and found by themselves; everyday words are better understood
    than looked up.
    """
    return _LEAST_WEIGHT + (_MOST_WEIGHT - _LEAST_WEIGHT) * min(1.0, rarity / _RARE)


def fuse(
    scores: Mapping[int, Score], similarities: Mapping[int, float], weight: float, limit: int
) -> list[ChunkHit]:
    """The ``limit`` best of all chunks in either, ties by id.

    Both sides are brought to 0..1 over these chunks before they are weighed: lexical scores by their
    maximum, cosines between their extremes. A chunk without vectors counts as an average one.
    """
    top = max((score.total for score in scores.values()), default=0.0) or 1.0
    near = _spread(similarities)
    average = sum(near.values()) / len(near) if near else 0.0
    hits = [
        ChunkHit(
            chunk_id,
            _weighed(
                scores.get(chunk_id, Score(0.0)), weight / top, (1 - weight) * near.get(chunk_id, average)
            ),
        )
        for chunk_id in {*scores, *similarities}
    ]
    return sorted(hits, key=lambda hit: (-hit.score.total, hit.chunk_id))[:limit]


def _spread(similarities: Mapping[int, float]) -> dict[int, float]:
    least, most = min(similarities.values(), default=0.0), max(similarities.values(), default=0.0)
    width = (most - least) or 1.0
    return {chunk_id: (value - least) / width for chunk_id, value in similarities.items()}


def _weighed(score: Score, factor: float, vector: float) -> Score:
    """The parts keep their proportions, so that they still add up to what the hit was ranked by."""
    boosts = {name: round(given * factor, 4) for name, given in score.boosts.items()}
    return Score(round(score.base * factor, 4), {**boosts, VECTOR: round(vector, 4)})


def nearest(similarities: Mapping[int, float]) -> list[ChunkHit]:
    """Chunks by their vectors alone, in the order given."""
    return [ChunkHit(chunk_id, Score(round(value, 4))) for chunk_id, value in similarities.items()]


def first_of_each_document(hits: Iterable[ChunkHit]) -> list[ChunkHit]:
    best: dict[int, ChunkHit] = {}
    for hit in hits:
        best.setdefault(hit.document_id, hit)
    return list(best.values())
