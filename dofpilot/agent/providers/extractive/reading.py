"""Which passages to read: what the searches put first, spread over documents when several are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from dofpilot.agent.providers.extractive.history import History
from dofpilot.agent.providers.extractive.listing import asked_for
from dofpilot.agent.providers.extractive.spans import without_notes
from dofpilot.agent.tools.arguments import CHUNKS_AT_ONCE

# Ranks of several searches are joined by their reciprocal; the constant keeps the first from deciding alone.
_RANK_OFFSET = 5
_CONTINUED_SHARE = 0.6


def to_read(known: History, first: Sequence[int] = ()) -> list[int]:
    """At most one call's worth of chunk ids that were found and not yet read, best first, after those of
    ``first``."""
    places = standing(known)
    ranked = sorted(places.keys() - known.passages.keys(), key=lambda chunk: (-places[chunk], chunk))
    documents = max(known.question.required_hops, len(asked_for(known)))
    if documents > 1 and not known.passages:
        ranked = _spread(ranked, known, documents)
    wanted = dict.fromkeys([*first, *ranked])
    return [chunk for chunk in wanted if chunk not in known.passages][:CHUNKS_AT_ONCE]


def standing(known: History) -> dict[int, float]:
    """How well the searches placed each chunk that they found, the best at 1."""
    scores: dict[int, float] = defaultdict(float)
    for hits in known.probes:
        _add(scores, (hit.chunk_id for hit in hits))
    for documents in known.searches:
        _add(scores, (hit.best_chunk_id for hit in documents))
    for chunk in [passage.chunk_id for passage in known.passages.values() if _breaks_off(passage.text)]:
        # The next one continues the list, so it is of the same document.
        scores[chunk + 1] = max(scores[chunk + 1], _CONTINUED_SHARE * scores[chunk])
    best = max(scores.values(), default=1.0)
    return {chunk: score / best for chunk, score in scores.items()}


def document_standing(known: History) -> dict[int, float]:
    """How well the searches placed each document, the first of any search at 1."""
    places: dict[int, float] = {}
    for hits in known.searches:
        for rank, hit in enumerate(hits):
            document = hit.publication.document_id
            places[document] = max(places.get(document, 0.0), 2 / (2 + rank))
    return places | {publication.document_id: 1.0 for publication in asked_for(known)}


def _add(scores: dict[int, float], chunks: Iterable[int]) -> None:
    for rank, chunk in enumerate(chunks):
        scores[chunk] += 1 / (_RANK_OFFSET + rank)


def _spread(ranked: list[int], known: History, documents: int) -> list[int]:
    """The best chunk of each of the first ``documents`` documents, then the others."""
    owner = {hit.chunk_id: hit.publication.document_id for hits in known.probes for hit in hits}
    owner |= {hit.best_chunk_id: hit.publication.document_id for hits in known.searches for hit in hits}
    first: dict[int, int] = {}
    for chunk in ranked:
        first.setdefault(owner[chunk], chunk)
    leading = list(first.values())[:documents]
    return [*leading, *(chunk for chunk in ranked if chunk not in leading)]


def _breaks_off(text: str) -> bool:
    """Whether it ends inside a list."""
    return without_notes(text).rstrip(" *\n").endswith((";", ":", ",", ", y", "; y"))
