"""Questions against the vectors of the passages: the embedder and the index as one thing."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.manifest import Manifest
from dofpilot.corpus.search.lexical import Limits
from dofpilot.corpus.types import Strategy, VectorState
from dofpilot.corpus.vectors.embedding import Embedder, EmbeddingUnavailable, Vectors
from dofpilot.corpus.vectors.index import VectorIndex

PAUSE = 30.0
"""Seconds in which an embedder that failed is not asked again: each question would wait for its timeout."""
_REMEMBERED = 256
"""Questions whose vectors are kept: a run asks the same of documents and then of their passages."""


class Semantic:
    """Any thread may call any operation; both raise ``EmbeddingUnavailable`` when no vector is to be had."""

    def __init__(self, index: VectorIndex, embedder: Embedder) -> None:
        self._index = index
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()
        self._failure: tuple[float, EmbeddingUnavailable] | None = None

    @property
    def share(self) -> float:
        """Share of all chunks that have vectors, 0 to 1."""
        return self._index.complete

    @property
    def is_complete(self) -> bool:
        return self.share >= 1.0

    @property
    def strategies(self) -> frozenset[Strategy]:
        """With some vectors missing, they may reorder what words find, and find nothing by themselves."""
        complete = {Strategy.VECTOR} if self.is_complete else set()
        return frozenset({Strategy.HYBRID, *complete})

    def understand(self, question: str) -> None:
        """Get the question's vector now, for the searches that follow."""
        self._vector(question)

    def search(self, question: str, limits: Limits, limit: int) -> dict[int, float]:
        """Cosine similarity of the ``limit`` nearest chunks, nearest first."""
        found = self._index.search(self._vector(question), limit, limits.filters, limits.within)
        return {hit.chunk_id: hit.similarity for hit in found}

    def similarities(self, question: str, chunk_ids: Sequence[int]) -> dict[int, float]:
        """Cosine similarity of those among ``chunk_ids`` that have vectors."""
        return self._index.similarities(self._vector(question), chunk_ids)

    def _vector(self, question: str) -> Vectors:
        with self._lock:
            known, failure = self._vectors.get(question), self._failure
        if known is not None:
            return known
        if failure and time.monotonic() < failure[0] + PAUSE:
            raise EmbeddingUnavailable(str(failure[1])) from failure[1]
        try:
            vector = self._embedder.embed_query(question)
        except EmbeddingUnavailable as error:
            self._failure = (time.monotonic(), error)
            raise
        with self._lock:
            self._vectors[question] = vector
            while len(self._vectors) > _REMEMBERED:
                self._vectors.popitem(last=False)
        return vector


@dataclass(frozen=True, slots=True)
class OpenedVectors:
    """``semantic`` is ``None`` where ``state.unusable`` says why."""

    state: VectorState
    semantic: Semantic | None = None


def open_vectors(directory: Path, manifest: Manifest, embedder: Embedder | None) -> OpenedVectors | None:
    """The vectors in a corpus directory, damaged ones as unusable; ``None`` where nobody has made any."""
    try:
        index = VectorIndex.open(directory, manifest.fingerprint, manifest.chunks, embedder)
    except CorpusUnavailable as error:
        return OpenedVectors(VectorState(0.0, "", "", unusable=str(error)))
    if index is None:
        return None
    state = VectorState(index.complete, index.fingerprint, index.settings.model, index.unusable)
    semantic = Semantic(index, embedder) if embedder and not index.unusable else None
    return OpenedVectors(state, semantic)
