"""Embed every passage of a corpus: in parallel, from where the last time ended, as long as one lets it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import numpy as np

from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.files import STORE
from dofpilot.corpus.manifest import Manifest, read_manifest
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.store import Store
from dofpilot.corpus.vectors import source
from dofpilot.corpus.vectors.embedding import Embedder, Vectors
from dofpilot.corpus.vectors.manifest import VectorSettings
from dofpilot.corpus.vectors.rows import Ids
from dofpilot.corpus.vectors.source import Reading, SourceChunk
from dofpilot.corpus.vectors.windows import windows
from dofpilot.corpus.vectors.writing import VectorWriter

BATCH = 16
"""Windows that are embedded together: seconds of work for a small model on one core."""
CHECKPOINT = 60.0
"""Seconds between two checkpoints: how old a running site's vectors may be."""
_IN_FLIGHT = 2
"""Batches for each worker: one at work and one that waits, so that no worker does."""


class Phase(StrEnum):
    EMBEDDING = "embedding"
    GRAPH = "graph"


@dataclass(frozen=True, slots=True)
class EmbedProgress:
    """Chunks with vectors among all, and bytes of text: embedded by this call, and still to be.

    Time goes with the text and not with the number of chunks, whose lengths differ a hundredfold.
    ``bytes_left`` takes the rest of a document begun earlier by its share of chunks.
    """

    chunks_done: int
    chunks_total: int
    bytes_done: int
    bytes_left: int
    phase: Phase


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """``added`` chunks by this call; ``stopped`` when it ended before there were vectors for all."""

    added: int
    chunks: int
    chunks_total: int
    rows: int
    stopped: bool


@dataclass
class _Batch:
    chunks: list[SourceChunk] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def add(self, chunk: SourceChunk) -> None:
        cut = windows(chunk.title, chunk.text)
        self.chunks.append(chunk)
        self.counts.append(len(cut))
        self.texts.extend(cut)

    @property
    def size(self) -> int:
        return sum(len(chunk.text.encode()) for chunk in self.chunks)


def embed(
    corpus: Path,
    embedder: Embedder,
    *,
    jobs: int,
    restart: bool = False,
    on_progress: Callable[[EmbedProgress], None] = lambda _: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> EmbedReport:
    """Fill ``vectors/`` of the corpus until every chunk is there or ``is_stopped`` says so.

    ``jobs`` calls of ``embedder`` go on at once. Whatever ends it, what was embedded is kept and the next
    call goes on from there. Raises ``CorpusUnavailable`` for the corpus, ``EmbeddingUnavailable`` for the
    embedder, ``IntegrityError`` for a damaged passage, and ``BuildError`` as ``VectorWriter`` does.
    """
    read_manifest(corpus)
    # Before anything is opened: a model takes its time to load, in which the corpus may be replaced.
    settings = VectorSettings.of(embedder.settings, embedder.embed_passages(["dimensión"]).shape[1])
    manifest = read_manifest(corpus)
    with closing(Store(corpus)) as store:
        _check_same(corpus, manifest, store)
        writer = VectorWriter(corpus, settings, manifest.fingerprint, manifest.chunks, restart=restart)
        with closing(writer):
            filling = _Filling(store, writer, source.reading(corpus), manifest.chunks, on_progress)
            _check_same(corpus, manifest, store)
            stopped = filling.run(embedder, jobs, is_stopped)
            return EmbedReport(filling.added, writer.chunks, manifest.chunks, writer.rows, stopped)


def _check_same(corpus: Path, manifest: Manifest, store: Store) -> None:
    """All that was opened under one name is of one corpus: ``build_corpus`` may have replaced it between."""
    if read_manifest(corpus) != manifest:
        raise BuildError(f"«{corpus}» se reemplazó por otro acervo al empezar: repite la orden")
    if not store.belongs_to(manifest.fingerprint):
        raise BuildError(f"«{corpus / STORE}» no es del acervo que dice su manifiesto: repite la orden")


class _Filling:
    def __init__(
        self,
        store: Store,
        writer: VectorWriter,
        reading: Reading,
        total: int,
        on_progress: Callable[[EmbedProgress], None],
    ) -> None:
        self._store, self._writer, self._reading, self._total = store, writer, reading, total
        self._on_progress = on_progress
        self._waiting = deque[tuple[_Batch, Future[Vectors]]]()
        self._embedded = writer.embedded
        self._left = _missing_bytes(reading, self._embedded)
        self._done = 0
        self._saved = time.monotonic()
        self.added = 0

    def run(self, embedder: Embedder, jobs: int, is_stopped: Callable[[], bool]) -> bool:
        """Whether it was stopped. What is embedded when something fails is written before that is raised."""
        self._tell()
        with ThreadPoolExecutor(jobs, "embed") as pool:
            try:
                whole = self._embed_all(pool, embedder, jobs, is_stopped)
            finally:
                try:
                    self._write_finished()
                finally:
                    # A batch that was at work when another failed may fail in the same way.
                    self._writer.checkpoint()
        if whole:
            self._make_graph(final=True)
        return not whole and self._writer.chunks < self._total

    def _embed_all(
        self, pool: ThreadPoolExecutor, embedder: Embedder, jobs: int, is_stopped: Callable[[], bool]
    ) -> bool:
        """Whether it came to the end before it was stopped."""
        for batch in self._batches():
            self._waiting.append((batch, pool.submit(embedder.embed_passages, batch.texts)))
            if len(self._waiting) >= _IN_FLIGHT * jobs:
                self._write_next()
                self._save_now_and_then()
            if is_stopped():
                return False
        while self._waiting and not is_stopped():
            self._write_next()
            self._save_now_and_then()
        return not self._waiting

    def _batches(self) -> Iterator[_Batch]:
        batch = _Batch()
        for chunk in source.passages(self._store, self._missing_documents()):
            place = np.searchsorted(self._embedded, chunk.chunk_id)
            if place < len(self._embedded) and self._embedded[place] == chunk.chunk_id:
                continue
            batch.add(chunk)
            if len(batch.texts) >= BATCH:
                yield batch
                batch = _Batch()
        if batch.chunks:
            yield batch

    def _missing_documents(self) -> Iterator[int]:
        have = _embedded_of(self._reading, self._embedded)
        yield from self._reading.ids[have < self._reading.chunks].tolist()

    def _write_finished(self) -> None:
        """Add what is at work or done, in its order, up to the first batch that failed or never began."""
        for _, future in self._waiting:
            future.cancel()
        while self._waiting:
            _, future = self._waiting[0]
            if future.cancelled() or future.exception():
                return
            self._write_next()

    def _write_next(self) -> None:
        vectors = self._waiting[0][1].result()
        # Only now, so that a failed one is the end of what can be written; and before anything else can
        # fail, so that none is written twice.
        batch, _ = self._waiting.popleft()
        self._writer.add(batch.chunks, batch.counts, vectors)
        self.added += len(batch.chunks)
        self._done += batch.size
        self._left = max(self._left - batch.size, 0)
        self._tell()

    def _save_now_and_then(self) -> None:
        if time.monotonic() - self._saved > CHECKPOINT:
            self._writer.checkpoint()
            self._make_graph()
            self._saved = time.monotonic()

    def _make_graph(self, *, final: bool = False) -> None:
        if self._writer.graph_is_due(final=final):
            self._tell(Phase.GRAPH)
            self._writer.make_graph()

    def _tell(self, phase: Phase = Phase.EMBEDDING) -> None:
        self._on_progress(
            EmbedProgress(self._writer.chunks, self._total, self._done, self._left, phase),
        )


def _embedded_of(reading: Reading, embedded: Ids) -> Ids:
    """How many chunks of each document have vectors: (n,)."""
    ends = np.searchsorted(embedded, (reading.ids + 1) * CHUNKS_PER_DOCUMENT)
    return (ends - np.searchsorted(embedded, reading.ids * CHUNKS_PER_DOCUMENT)).astype(np.int64)


def _missing_bytes(reading: Reading, embedded: Ids) -> int:
    share = 1 - _embedded_of(reading, embedded) / np.maximum(reading.chunks, 1)
    return int((reading.sizes * share).sum())
