"""Write side of ``vectors/``: files that only grow, and a manifest that is replaced in one step.

Whoever reads has the rows of the manifest that it opened; what is written after them concerns nobody. So a
process may die at any moment, and ``build_corpus`` may carry the files into another corpus by hard links.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dofpilot.corpus.errors import BuildError, CorpusUnavailable
from dofpilot.corpus.files import VECTORS
from dofpilot.corpus.vectors import graph, source
from dofpilot.corpus.vectors.embedding import EmbeddingUnavailable, Vectors
from dofpilot.corpus.vectors.files import DataFiles, last_generation, remove_others
from dofpilot.corpus.vectors.manifest import (
    MANIFEST,
    NeighbourGraph,
    VectorManifest,
    VectorSettings,
    read_vector_manifest,
)
from dofpilot.corpus.vectors.rows import (
    OWNER,
    Ids,
    Rows,
    content_fingerprint,
    map_rows,
    quantised,
    starts_of,
    whole_rows,
)
from dofpilot.corpus.vectors.source import SourceChunk

_BLOCK = 65_536
_ANEW = "Para calcular todos los vectores de nuevo, repite la orden con --restart"


class VectorWriter:
    """Adds rows to a corpus' vectors, in one thread.

    Every operation raises ``BuildError`` where the disk refuses it, and where another corpus has taken the
    place of the one that was opened.
    """

    def __init__(
        self,
        corpus: Path,
        settings: VectorSettings,
        fingerprint: str,
        chunks_total: int,
        *,
        restart: bool = False,
    ) -> None:
        """Take the vectors up where they were left. ``fingerprint`` and ``chunks_total`` are the corpus'.

        Rows after the manifest's are kept if they are whole; those of chunks that the corpus no longer has
        are dropped. Raises ``BuildError`` for vectors made with other settings, for another writer at work
        and for damaged files; ``restart`` begins anew whatever is there.
        """
        self._corpus, self._home = corpus, corpus / VECTORS
        self._settings, self._corpus_fingerprint, self._total = settings, fingerprint, chunks_total
        self._graph: NeighbourGraph | None = None
        with self._writing():
            self._home.mkdir(exist_ok=True)
            # Writing goes by this and not by the name, under which another corpus may come to stand.
            self._place = os.open(self._home, os.O_RDONLY | os.O_DIRECTORY)
            try:
                self._begin(restart=restart)
            except BaseException:
                os.close(self._place)
                raise

    def close(self) -> None:
        self._files.close()
        os.close(self._place)

    @property
    def embedded(self) -> Ids:
        """Ids of the chunks that have vectors, in ascending order."""
        return np.unique(self._files.rows(self.rows).owners["chunk_id"])

    def add(self, chunks: Sequence[SourceChunk], windows: Sequence[int], vectors: Vectors) -> None:
        """Append chunks with their numbers of windows; ``vectors`` (sum of windows, dimension) in order.

        Raises ``EmbeddingUnavailable`` for vectors of another dimension than those that are here.
        """
        dimension = self._settings.dimension
        if vectors.shape[1] != dimension:
            raise EmbeddingUnavailable(
                f"los vectores empezaron con dimensión {dimension} y ahora llegan de {vectors.shape[1]}"
            )
        owners = np.zeros(len(vectors), dtype=OWNER)
        owners["chunk_id"] = np.repeat([chunk.chunk_id for chunk in chunks], windows)
        owners["digest"] = np.repeat(np.array([chunk.digest for chunk in chunks], np.uint64), windows)
        owners["windows"] = np.repeat(windows, windows)
        owners["window"] = np.concatenate([np.arange(count) for count in windows])
        codes = quantised(vectors)
        with self._writing():
            self._check_place()
            try:
                self._files.append(owners, codes)
            except OSError:
                # Half a row would shift the vectors of all that is added after it.
                self._files.cut(self.rows)
                raise
        self._content.add(owners, codes)
        self.rows += len(owners)
        self.chunks += len(chunks)

    def graph_is_due(self, *, final: bool = False) -> bool:
        """Whether so many rows have come that ``make_graph`` should be called, which takes its time."""
        return graph.is_due(self._graph.rows if self._graph else 0, self.rows, final=final)

    def checkpoint(self) -> None:
        """Put all rows on the disk and in the manifest, where readers see them."""
        with self._writing():
            self._check_place()
            self._files.sync()
            self._publish()

    def make_graph(self) -> None:
        """Make the neighbour graph over all rows of the last checkpoint."""
        with self._writing():
            self._check_place()
            try:
                # usearch takes names alone; this one is the directory's whatever becomes of its own.
                opened = Path(f"/proc/self/fd/{self._place}")
                made = graph.extend(opened, self._manifest(), self._files.rows(self.rows))
            finally:
                # Long afterwards. If saving failed, it was perhaps because the directory is gone.
                self._check_place()
            self._graph = made
            self._publish()

    def _begin(self, *, restart: bool) -> None:
        self._files = self._locked()
        try:
            old = None if restart else self._old_manifest()
            self._check_place()
            if old is not None:
                self._take_up(old)
            elif len(self._files):
                self._replace_rows(self._files.rows(0))
            else:
                # One of the two files may hold something although no row is in both.
                self._files.cut(0)
                self._count(self._files.rows(0))
            self._publish()
        except BaseException:
            self._files.close()
            raise

    def _locked(self) -> DataFiles:
        """The files of the newest generation, this writer's alone."""
        while True:
            files = DataFiles(self._place, last_generation(self._place), self._settings.dimension)
            # Whoever had them before may have made a new generation between the look and the lock.
            if files.generation == last_generation(self._place):
                return files
            files.close()

    def _old_manifest(self) -> VectorManifest | None:
        if not (self._home / MANIFEST).exists():
            return None
        try:
            old = read_vector_manifest(self._home)
            if difference := self._settings.differs_from(old.settings):
                raise BuildError(f"los vectores de «{self._home}» son otros: {difference}. {_ANEW}")
            map_rows(self._home, old)
        except CorpusUnavailable as error:
            raise BuildError(f"{error}. {_ANEW}") from error
        return old

    def _take_up(self, old: VectorManifest) -> None:
        """Go on after the last whole row, with the rows of today's chunks alone."""
        if old.generation != self._files.generation:
            # The newest one was never finished.
            unfinished = self._files
            self._files = DataFiles(self._place, old.generation, self._settings.dimension)
            unfinished.close()
        written = self._files.rows(len(self._files))
        kept = old.rows + whole_rows(Rows(written.owners[old.rows :], written.codes[old.rows :]))
        rows = Rows(written.owners[:kept], written.codes[:kept])
        if old.corpus != self._corpus_fingerprint or kept > old.rows:
            alive = self._alive(rows)
            if not alive.all():
                self._replace_rows(rows, alive)
                return
        self._graph = graph.intact(self._home, old)
        self._files.cut(kept)
        self._count(rows)

    def _alive(self, rows: Rows) -> npt.NDArray[np.bool_]:
        """Which rows belong to a chunk that the corpus has, with that text, and are its first ones: (n,)."""
        try:
            starts = starts_of(rows.owners)
        except ValueError as error:
            raise BuildError(f"los vectores de «{self._home}» están dañados: {error}. {_ANEW}") from error
        owners = rows.owners[starts]
        alive = source.known_chunks(self._corpus).having(owners["chunk_id"], owners["digest"])
        _, places = np.unique(np.where(alive, owners["chunk_id"], -1), return_index=True)
        first = np.zeros(len(starts), dtype=bool)
        first[places] = True
        return np.repeat(alive & first, owners["windows"])

    def _replace_rows(self, rows: Rows, alive: npt.NDArray[np.bool_] | None = None) -> None:
        """Begin a new generation with the ``alive`` among ``rows``. The old one stands until the manifest."""
        old, generation = self._files, last_generation(self._place) + 1
        files = DataFiles(self._place, generation, self._settings.dimension)
        files.cut(0)
        for start in range(0, len(rows), _BLOCK):
            part = slice(start, start + _BLOCK)
            chosen = slice(None) if alive is None else alive[part]
            files.append(rows.owners[part][chosen], rows.codes[part][chosen])
        files.sync()
        self._files, self._graph = files, None
        self._count(files.rows(len(files)))
        self._publish()
        old.close()

    def _count(self, rows: Rows) -> None:
        self.rows = len(rows)
        self.chunks = int(np.count_nonzero(rows.owners["window"] == 0))
        self._content = content_fingerprint(self._settings, rows)

    def _publish(self) -> None:
        manifest = self._manifest()
        manifest.write(self._place)
        remove_others(self._place, manifest.files)

    def _manifest(self) -> VectorManifest:
        return VectorManifest(
            settings=self._settings,
            generation=self._files.generation,
            rows=self.rows,
            chunks=self.chunks,
            chunks_total=self._total,
            corpus=self._corpus_fingerprint,
            fingerprint=self._content.hexdigest(),
            owners_sha256=self._content.owners_hexdigest(),
            graph=self._graph,
        )

    def _check_place(self) -> None:
        """``build_corpus`` may have put another corpus here; its vectors are another directory."""
        try:
            if os.path.samestat(self._home.stat(), os.fstat(self._place)):
                return
        except FileNotFoundError:
            pass
        fate = "se conservan" if self._files.is_linked_in(self._home) else "no pasaron al nuevo"
        raise BuildError(
            f"«{self._corpus}» se reemplazó por otro acervo mientras se calculaban sus vectores; los ya "
            f"calculados {fate}. Repite la orden para seguir con los que faltan"
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise BuildError(f"no se puede escribir en «{self._home}»: {error.strerror}") from error
