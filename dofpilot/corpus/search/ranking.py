"""From a query and a strategy to ranked chunks or documents, with how they were found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import date

from dofpilot.corpus.errors import IntegrityError
from dofpilot.corpus.names import document_of
from dofpilot.corpus.search import fusion
from dofpilot.corpus.search.lexical import ChunkHit, LexicalIndex, Limits, Plan
from dofpilot.corpus.search.query import ParsedQuery
from dofpilot.corpus.search.semantic import Semantic
from dofpilot.corpus.types import Retrieval, Strategy
from dofpilot.corpus.vectors.embedding import EmbeddingUnavailable

_CHUNKS_PER_DOCUMENT_HIT = 10
"""Chunks fetched for each document wanted: long norms hold many of the best."""
_MOST_CHUNKS = 2_000
_CANDIDATES = 100
"""Chunks of each side that a fusion looks at, if no more are wanted."""
_NOTHING_TO_COMPARE = "ninguno de los pasajes que encuentran las palabras tiene vectores"
_RERANKED = 30
"""Chunks found by words that vectors may reorder where not all chunks have any."""


@dataclass(frozen=True, slots=True)
class Search:
    """A query with its limits. ``recent_from`` is the day that ages are counted from, if they count."""

    text: str
    query: ParsedQuery
    limits: Limits
    limit: int
    strategy: Strategy
    recent_from: date | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Best first."""

    hits: list[ChunkHit]
    retrieval: Retrieval


@dataclass(frozen=True, slots=True)
class _Compared:
    """``is_by_vectors``: there were vectors to compare the question with."""

    hits: list[ChunkHit]
    is_by_vectors: bool = False


class Ranker:
    """Any thread may call any operation."""

    def __init__(self, lexical: LexicalIndex, semantic: Semantic | None = None) -> None:
        self._lexical = lexical
        self._semantic = semantic

    @property
    def strategies(self) -> frozenset[Strategy]:
        return frozenset({Strategy.LEXICAL}) | (self._semantic.strategies if self._semantic else frozenset())

    def passages(self, search: Search) -> Ranked:
        plan = self._lexical.plan(search.query, search.recent_from)
        how = Retrieval(search.strategy, Strategy.LEXICAL, corrections=plan.corrections, terms=plan.shown)
        if search.strategy is Strategy.LEXICAL or self._semantic is None:
            return Ranked(self._lexical.search(plan, search.limits, search.limit), how)
        try:
            compared = self._compared(self._semantic, plan, search)
        except EmbeddingUnavailable as error:
            compared = _Compared(self._lexical.search(plan, search.limits, search.limit))
            how = replace(how, fallback=str(error))
        if not compared.is_by_vectors:
            return Ranked(compared.hits, replace(how, fallback=how.fallback or _NOTHING_TO_COMPARE))
        return Ranked(compared.hits, replace(how, used=search.strategy, vector_share=self._semantic.share))

    def documents(self, search: Search) -> Ranked:
        """One hit for each document: the chunk of it that matches best."""
        if search.strategy is Strategy.LEXICAL or self._semantic is None:
            return self._documents_by_words(search)
        try:
            self._semantic.understand(search.text)
        except EmbeddingUnavailable as error:
            by_words = self._documents_by_words(search)
            return replace(by_words, retrieval=replace(by_words.retrieval, fallback=str(error)))
        wanted = _CHUNKS_PER_DOCUMENT_HIT * search.limit
        while True:
            ranked = self.passages(replace(search, limit=wanted))
            hits = fusion.first_of_each_document(ranked.hits)
            if len(hits) >= search.limit or len(ranked.hits) < wanted or wanted >= _MOST_CHUNKS:
                return Ranked(hits[: search.limit], ranked.retrieval)
            wanted *= 4

    def _compared(self, semantic: Semantic, plan: Plan, search: Search) -> _Compared:
        depth = max(_CANDIDATES, search.limit)
        if search.strategy is Strategy.VECTOR:
            near = semantic.search(search.text, search.limits, search.limit)
            return _Compared(fusion.nearest(near), is_by_vectors=True)
        found = self._lexical.search(plan, search.limits, depth)
        scores = {hit.chunk_id: hit.score for hit in found}
        weight = fusion.lexical_weight(self._rarity(plan.query))
        if not semantic.is_complete:
            first = [hit.chunk_id for hit in found[:_RERANKED]]
            similar = semantic.similarities(search.text, first)
            if not similar:
                return _Compared(found[: search.limit])
            head = fusion.fuse({chunk: scores[chunk] for chunk in first}, similar, weight, len(first))
            return _Compared([*head, *found[_RERANKED:]][: search.limit], is_by_vectors=True)
        similar = semantic.search(search.text, search.limits, depth)
        scores |= self._lexical.scores(plan, [chunk for chunk in similar if chunk not in scores])
        similar |= semantic.similarities(search.text, [chunk for chunk in scores if chunk not in similar])
        return _Compared(fusion.fuse(scores, similar, weight, search.limit), is_by_vectors=True)

    def _rarity(self, query: ParsedQuery) -> float:
        """How rare the query's terms are on average: 0 for those of every chunk, 1 for those of one."""
        size = max(2, len(self._lexical))
        held = [max(1, self._lexical.frequency(term)) for term in query.terms]
        return sum(math.log(size / count) for count in held) / (len(held) * math.log(size))

    def _documents_by_words(self, search: Search) -> Ranked:
        plan = self._lexical.plan(search.query, search.recent_from)
        best: dict[int, tuple[int, float]] = {}
        more = True
        while more and len(best) < search.limit:
            wanted = _CHUNKS_PER_DOCUMENT_HIT * search.limit
            limits = replace(search.limits, without=tuple(best))
            found = self._lexical.rank(plan, limits, wanted)
            if any(document_of(chunk_id) in best for chunk_id, _ in found):
                # Its ids are damaged, and a document that cannot be left out would be found for ever.
                raise IntegrityError("el índice léxico confunde documentos")
            for chunk_id, total in found:
                best.setdefault(document_of(chunk_id), (chunk_id, total))
            more = len(found) == wanted
        first = sorted(best.values(), key=lambda found: (-found[1], found[0]))[: search.limit]
        how = Retrieval(search.strategy, Strategy.LEXICAL, corrections=plan.corrections, terms=plan.shown)
        return Ranked(self._lexical.explained(plan, first), how)
