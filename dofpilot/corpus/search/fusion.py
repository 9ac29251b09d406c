"""One order out of two: what the words say of a passage and what its vectors say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dofpilot.corpus.search.lexical import ChunkHit
from dofpilot.corpus.types import Score

VECTOR = "vector"
"""The boost that a passage gets for its vectors, by the name that a score shows."""

_LEAST_WEIGHT, _MOST_WEIGHT = 0.25, 0.6
_RARE = 0.8
"""Rarity of a query's terms from which on words count most."""
_HALF = 10
"""Places after which a place in an order is worth half of the first."""


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

    Each side is worth 0 to 1, half of it by score (lexical scores by their maximum, cosines between their
    extremes) and half by place: scores tell a clear winner, places forgive a side that sees none. A chunk
    without vectors counts as an average one.
    """
    top = max((score.total for score in scores.values()), default=0.0) or 1.0
    words = _worth({chunk_id: score.total / top for chunk_id, score in scores.items()})
    near = _worth(_spread(similarities))
    average = sum(near.values()) / len(near) if near else 0.0
    hits = []
    for chunk_id in {*scores, *similarities}:
        vector = (1 - weight) * near.get(chunk_id, average)
        score = scores.get(chunk_id, Score(0.0))
        hits.append(ChunkHit(chunk_id, _weighed(score, weight * words.get(chunk_id, 0.0), vector)))
    return sorted(hits, key=lambda hit: (-hit.score.total, hit.chunk_id))[:limit]


def _spread(similarities: Mapping[int, float]) -> dict[int, float]:
    least, most = min(similarities.values(), default=0.0), max(similarities.values(), default=0.0)
    width = (most - least) or 1.0
    return {chunk_id: (value - least) / width for chunk_id, value in similarities.items()}


def _worth(values: Mapping[int, float]) -> dict[int, float]:
    order = sorted(values, key=lambda chunk_id: (-values[chunk_id], chunk_id))
    return {
        chunk_id: (values[chunk_id] + _HALF / (_HALF + place)) / 2 for place, chunk_id in enumerate(order)
    }


def _weighed(score: Score, worth: float, vector: float) -> Score:
    """The parts keep their proportions, so that they still add up to what the hit was ranked by."""
    factor = worth / score.total if score.total else 0.0
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
