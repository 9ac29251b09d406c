"""Read side of ``vectors/``: which passages are most like a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from dofpilot.corpus.days import day_number
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.files import VECTORS
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.types import Filters
from dofpilot.corpus.vectors import source
from dofpilot.corpus.vectors.embedding import Embedder, EmbeddingSettings, EmbeddingUnavailable, Vectors
from dofpilot.corpus.vectors.graph import Neighbours
from dofpilot.corpus.vectors.manifest import MANIFEST, VectorManifest, VectorSettings
from dofpilot.corpus.vectors.manifest import read_vector_manifest as read_manifest
from dofpilot.corpus.vectors.rows import Ids, Rows, cosines, map_rows, quantised, starts_of

_OVERFETCH = 4
"""Rows asked of the graph for each chunk wanted: a chunk has some three windows, and a few may be near."""
_MOST_FETCHED = 2_000
"""A graph that must be asked for more rows is slower than looking at the rows that may be found."""
_BLOCK = 131_072
_ANY = Filters()

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A chunk and the cosine of its best window with the question."""

    chunk_id: int
    similarity: float


@dataclass(frozen=True)
class _Chunks:
    """The chunks that have vectors and are in the corpus, in the order of their rows: (n,) each."""

    ids: Ids
    starts: Ids
    windows: Ids
    days: npt.NDArray[np.int32]
    sections: npt.NDArray[np.int8]
    by_id: Ids
    """Places in the order of ids."""
    sorted_ids: Ids

    def __len__(self) -> int:
        return len(self.ids)

    def of_rows(self, rows: Ids) -> Ids:
        """The places of the chunks that rows belong to, each once; rows of no chunk are left out."""
        places = np.searchsorted(self.starts, rows, side="right") - 1
        inside = (places >= 0) & (rows < self.starts[places] + self.windows[places])
        return np.unique(places[inside])

    def between(self, first_id: int, end_id: int) -> Ids:
        """The places of the chunks with ``first_id <= id < end_id``."""
        low, high = np.searchsorted(self.sorted_ids, [first_id, end_id])
        return self.by_id[low:high]

    def allowed(self, filters: Filters) -> Mask | None:
        """Which chunks the filters let through; ``None`` when they let all."""
        if filters == _ANY:
            return None
        mask = np.ones(len(self), dtype=bool)
        for limit in (filters.as_of, filters.date_to):
            if limit:
                mask &= self.days <= day_number(limit)
        if filters.date_from:
            mask &= self.days >= day_number(filters.date_from)
        if filters.section:
            mask &= self.sections == source.SECTIONS[filters.section]
        return mask


class VectorIndex:
    """Any thread may call any operation. It holds the vectors that were there when it was opened."""

    def __init__(
        self,
        manifest: VectorManifest,
        rows: Rows,
        chunks: _Chunks,
        neighbours: Neighbours | None,
        total_chunks: int,
        embedder: Embedder | None,
    ) -> None:
        self._manifest = manifest
        self._rows = rows
        self._chunks = chunks
        self._neighbours = neighbours
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
        chunks = _chunks(directory, rows, is_current=manifest.corpus == corpus_fingerprint)
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

        Never fewer than ``limit`` as long as the filters let so many through. Raises ``EmbeddingUnavailable``
        for a query of another dimension: a server may change its model under the same name.
        """
        code = self._code(query)
        allowed = self._chunks.allowed(filters)
        if within:
            places = self._inside(within)
        elif self._neighbours and len(self._chunks):
            places = self._near(self._neighbours, code, limit, allowed)
        else:
            places = np.arange(len(self._chunks))
        if allowed is not None:
            places = places[allowed[places]]
        return self._best(places, self._similarities(code, places), limit)

    def similarities(self, query: Vectors, chunk_ids: Sequence[int]) -> dict[int, float]:
        """The similarity of each of ``chunk_ids`` that has vectors."""
        code = self._code(query)
        each = [self._chunks.between(chunk_id, chunk_id + 1) for chunk_id in dict.fromkeys(chunk_ids)]
        places = np.concatenate([np.empty(0, np.int64), *each])
        found = self._similarities(code, places)
        return dict(zip(self._chunks.ids[places].tolist(), found.tolist(), strict=True))

    def _code(self, query: Vectors) -> npt.NDArray[np.int8]:
        if query.shape != (self.settings.dimension,):
            raise EmbeddingUnavailable(
                f"el vector de la pregunta tiene dimensión {query.shape[-1]} y los del acervo "
                f"{self.settings.dimension}",
            )
        return quantised(query)

    def _inside(self, document_ids: Sequence[int]) -> Ids:
        each = [
            self._chunks.between(document_id * CHUNKS_PER_DOCUMENT, (document_id + 1) * CHUNKS_PER_DOCUMENT)
            for document_id in dict.fromkeys(document_ids)
        ]
        return np.concatenate([np.empty(0, np.int64), *each])

    def _near(
        self, neighbours: Neighbours, code: npt.NDArray[np.int8], limit: int, allowed: Mask | None
    ) -> Ids:
        """Places that hold the best ``limit`` allowed chunks as the graph knows them; all where it cannot.

        The fewer chunks are allowed, the more rows are asked for, until it is less work to look at all that
        are allowed, which is exact.
        """
        share = 1.0 if allowed is None else float(allowed.mean())
        count = int(_OVERFETCH * limit / share) if share else _MOST_FETCHED + 1
        after = np.flatnonzero(self._chunks.starts + self._chunks.windows > neighbours.rows)
        while count <= min(_MOST_FETCHED, neighbours.rows):
            near = self._chunks.of_rows(neighbours.nearest(code, count))
            if (len(near) if allowed is None else int(allowed[near].sum())) >= limit:
                return np.union1d(near, after)
            count *= 4
        return np.arange(len(self._chunks))

    def _similarities(self, code: npt.NDArray[np.int8], places: Ids) -> Vectors:
        """The best similarity of each chunk at ``places``: (n,)."""
        best = np.empty(len(places), dtype=np.float32)
        for start in range(0, len(places), _BLOCK):
            part = places[start : start + _BLOCK]
            firsts, counts = self._chunks.starts[part], self._chunks.windows[part]
            offsets = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
            best[start : start + _BLOCK] = np.maximum.reduceat(
                cosines(self._codes(firsts, counts, offsets), code), offsets
            )
        return best

    def _codes(self, firsts: Ids, counts: Ids, offsets: Ids) -> npt.NDArray[np.int8]:
        total = int(offsets[-1] + counts[-1])
        if (firsts == firsts[0] + offsets).all():
            # One run of rows: the mapped file itself, and no copy.
            return self._rows.codes[firsts[0] : firsts[0] + total]
        return self._rows.codes[np.arange(total) + np.repeat(firsts - offsets, counts)]

    def _best(self, places: Ids, similarities: Vectors, limit: int) -> list[VectorHit]:
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


def _chunks(directory: Path, rows: Rows, *, is_current: bool) -> _Chunks:
    try:
        starts = starts_of(rows.owners)
    except ValueError as error:
        raise CorpusUnavailable(f"los vectores de «{directory}» están dañados: {error}") from error
    owners = np.array(rows.owners[starts])
    if not is_current:
        alive = source.known_chunks(directory).having(owners["chunk_id"], owners["digest"])
        starts, owners = starts[alive], owners[alive]
    ids = owners["chunk_id"].astype(np.int64)
    known = source.documents(directory)
    places = np.minimum(np.searchsorted(known.ids, ids // CHUNKS_PER_DOCUMENT), len(known.ids) - 1)
    if (known.ids[places] != ids // CHUNKS_PER_DOCUMENT).any():
        raise CorpusUnavailable(f"los vectores de «{directory}» nombran documentos que no existen")
    by_id = np.argsort(ids, kind="stable")
    return _Chunks(
        ids=ids,
        starts=starts.astype(np.int64),
        windows=owners["windows"].astype(np.int64),
        days=known.days[places],
        sections=known.sections[places],
        by_id=by_id,
        sorted_ids=ids[by_id],
    )
