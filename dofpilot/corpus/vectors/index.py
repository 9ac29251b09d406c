"""Read side of ``vectors/``: which passages are most like a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.files import VECTORS
from dofpilot.corpus.types import Filters
from dofpilot.corpus.vectors.chunks import Chunks, Places, Selection, read_chunks
from dofpilot.corpus.vectors.embedding import Embedder, EmbeddingSettings, EmbeddingUnavailable, Vectors
from dofpilot.corpus.vectors.graph import Neighbours
from dofpilot.corpus.vectors.manifest import MANIFEST, VectorManifest, VectorSettings
from dofpilot.corpus.vectors.manifest import read_vector_manifest as read_manifest
from dofpilot.corpus.vectors.rows import Ids, Rows, cosines, map_rows, quantised

_OVERFETCH = 4
"""Rows asked of the graph for each chunk wanted: a chunk has some three windows, and a few may be near."""
_MOST_FETCHED = 20_000
"""Rows asked of the graph at most."""
_FEW_ROWS = 300_000
"""Rows that may all be compared where the graph does not give enough; more of them take too long."""
_ROWS_PER_FETCHED = 8
"""So many rows, gathered from all over the file, are compared in the time in which the graph finds one."""
_SELECTIONS = 8
"""Filters whose chunks are kept for the next search; one byte for each chunk of the corpus."""
_BLOCK = 131_072
_ANY = Filters()


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A chunk and the cosine of its best window with the question."""

    chunk_id: int
    similarity: float


class VectorIndex:
    """Any thread may call any operation. It holds the vectors that were there when it was opened."""

    def __init__(
        self,
        manifest: VectorManifest,
        rows: Rows,
        chunks: Chunks,
        neighbours: Neighbours | None,
        total_chunks: int,
        embedder: Embedder | None,
    ) -> None:
        self._manifest = manifest
        self._rows = rows
        self._chunks = chunks
        self._neighbours = neighbours
        self._after = chunks.first_from(neighbours.rows) if neighbours else 0
        self._selection = lru_cache(_SELECTIONS)(chunks.selection)
        self._total = total_chunks
        self._unusable = _unusable(manifest.settings, embedder.settings if embedder else None)

    @classmethod
    def open(
        cls, directory: Path, corpus_fingerprint: str, total_chunks: int, embedder: Embedder | None
    ) -> Self | None:
        """The vectors in the corpus ``directory``; ``None`` when there are none. Raise ``CorpusUnavailable``.

        Vectors of another state of the corpus are compared with its chunks one by one, which takes seconds
        for millions; ``embed_corpus`` writes down the result.
        """
        home = directory / VECTORS
        if not (home / MANIFEST).exists():
            return None
        manifest, rows, neighbours = _mapped(home)
        chunks = read_chunks(directory, rows, is_current=manifest.corpus == corpus_fingerprint)
        return cls(manifest, rows, chunks, neighbours, total_chunks, embedder)

    @property
    def complete(self) -> float:
        """Share of the corpus' chunks that have vectors, 0 to 1."""
        return min(len(self._chunks) / self._total, 1.0)

    @property
    def fingerprint(self) -> str:
        return self._manifest.fingerprint

    @property
    def settings(self) -> VectorSettings:
        return self._manifest.settings

    @property
    def unusable(self) -> str:
        """Why questions cannot be asked, in words; empty when they can."""
        return self._unusable

    def search(
        self, query: Vectors, limit: int, filters: Filters = _ANY, within: Sequence[int] = ()
    ) -> list[VectorHit]:
        """Distinct chunks, best first, ties by ``chunk_id``; ``within`` holds document ids, none for all.

        Approximate where a graph is asked, as ``_near`` tells. Then there may even be fewer than ``limit``:
        if filters let through more rows than can be compared and none of them is among the
        ``_MOST_FETCHED`` nearest of the corpus. Otherwise there are as many as the filters let through.

        Raises ``EmbeddingUnavailable`` for a query of another dimension: a server may change its model
        under the same name.
        """
        code = self._code(query)
        if within:
            places = self._chunks.of_documents(within)
            places = places[self._chunks.allowed(filters, places)]
        elif self._neighbours:
            places = self._near(self._neighbours, code, limit, self._selection(filters))
        else:
            places = self._selection(filters).places(len(self._chunks))
        return self._best(places, self._similarities(code, places), limit)

    def similarities(self, query: Vectors, chunk_ids: Sequence[int]) -> dict[int, float]:
        """The similarity of each of ``chunk_ids`` that has vectors."""
        code = self._code(query)
        places = self._chunks.of_ids(chunk_ids)
        found = self._similarities(code, places)
        return dict(zip(self._chunks.ids[places].tolist(), found.tolist(), strict=True))

    def _code(self, query: Vectors) -> npt.NDArray[np.int8]:
        if query.shape != (self.settings.dimension,):
            raise EmbeddingUnavailable(
                f"el vector de la pregunta tiene dimensión {query.shape[-1]} y los del acervo "
                f"{self.settings.dimension}",
            )
        return quantised(query)

    def _near(
        self, neighbours: Neighbours, code: npt.NDArray[np.int8], limit: int, selection: Selection
    ) -> Places:
        """Places among which are the best ``limit`` chunks of the selection as the graph knows them.

        The fewer rows are selected, the more must be asked of the graph, until it is less work to compare
        all that are selected, which is exact. Where they are too many for that, what the graph gives when
        it is asked for the most is all there is.
        """
        most = min(_MOST_FETCHED, neighbours.rows)
        count = min(_OVERFETCH * limit * len(self._rows) // max(selection.rows, 1), most)
        later = selection.among(np.arange(self._after, len(self._chunks)))
        while selection.rows > min(_FEW_ROWS, count * _ROWS_PER_FETCHED):
            near = selection.among(self._chunks.of_rows(neighbours.nearest(code, count)))
            if len(near) >= limit or (count == most and selection.rows > _FEW_ROWS):
                return np.union1d(near, later)
            if count == most:
                break
            count = min(4 * count, most)
        return selection.places(len(self._chunks))

    def _similarities(self, code: npt.NDArray[np.int8], places: Places) -> Vectors:
        """The best similarity of each chunk at ``places``: (n,)."""
        best = np.empty(len(places), dtype=np.float32)
        for start in range(0, len(places), _BLOCK):
            part = places[start : start + _BLOCK]
            firsts, counts = self._chunks.starts[part], self._chunks.windows[part]
            offsets = np.cumsum(counts, dtype=np.int64) - counts
            best[start : start + _BLOCK] = np.maximum.reduceat(
                cosines(self._codes(firsts, counts, offsets), code), offsets
            )
        return best

    def _codes(self, firsts: Places, counts: Places, offsets: Ids) -> npt.NDArray[np.int8]:
        total = int(offsets[-1] + counts[-1])
        if (firsts == firsts[0] + offsets).all():
            # One run of rows: the mapped file itself, and no copy.
            return self._rows.codes[firsts[0] : firsts[0] + total]
        return self._rows.codes[np.arange(total) + np.repeat(firsts - offsets, counts)]

    def _best(self, places: Places, similarities: Vectors, limit: int) -> list[VectorHit]:
        if len(places) > limit:
            # All that tie with the last one stay, for the ids to decide.
            least = np.partition(similarities, -limit)[-limit]
            places, similarities = places[similarities >= least], similarities[similarities >= least]
        ids = self._chunks.ids[places]
        order = np.lexsort((ids, -similarities))[:limit]
        return [VectorHit(int(ids[place]), float(similarities[place])) for place in order]


def _mapped(home: Path) -> tuple[VectorManifest, Rows, Neighbours | None]:
    """The files that the manifest names, opened; once more when ``embed_corpus`` replaced both meanwhile."""
    manifest = read_manifest(home)
    while True:
        try:
            neighbours = Neighbours(home, manifest, manifest.graph) if manifest.graph else None
            return manifest, map_rows(home, manifest), neighbours
        except CorpusUnavailable:
            newer = read_manifest(home)
            if newer == manifest:
                raise
            manifest = newer


def _unusable(settings: VectorSettings, embedding: EmbeddingSettings | None) -> str:
    if embedding is None:
        return (
            f"los vectores del acervo son de «{settings.model}» y no hay con qué calcular el de la pregunta"
        )
    difference = VectorSettings.of(embedding, settings.dimension).differs_from(settings)
    return f"los vectores del acervo son otros: {difference}" if difference else ""
