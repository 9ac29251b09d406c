"""The neighbour graph (HNSW, by usearch) that spares a search from looking at every row.

Up to ``THRESHOLD`` rows, looking at all takes about ten milliseconds, is exact and needs nothing built. The
graph holds rows by their number. It is built in memory, saved whole under a new name, and mapped by readers:
memory grows with what is visited, not with the file.
"""

from __future__ import annotations

import errno
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
from usearch.index import Index

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.vectors.manifest import NeighbourGraph, VectorManifest
from dofpilot.corpus.vectors.rows import Codes, Ids, Rows

THRESHOLD = 100_000
"""Rows that are searched one by one without a graph."""

_CONNECTIVITY, _EXPANSION_ADD, _EXPANSION_SEARCH = 16, 128, 256
_BLOCK = 65_536


def is_due(graph_rows: int, rows: int, *, final: bool = False) -> bool:
    """Whether so many rows lie outside the graph that it should be made again.

    Each saving writes the whole file. With a tenth more rows each time, all savings together write some
    ten times the last one, however often checkpoints are made; a search looks at the rest row by row.
    """
    return rows - graph_rows > (THRESHOLD if final else max(THRESHOLD, graph_rows // 10))


def extend(directory: Path, manifest: VectorManifest, rows: Rows) -> NeighbourGraph:
    """The graph over all ``rows``: the manifest's, if it has one, with the rows that came later.

    Takes minutes to hours, and memory for the whole graph. Raises ``OSError`` where it cannot be saved.
    """
    index = _begun(directory, manifest)
    for start in range(len(index), len(rows), _BLOCK):
        end = min(start + _BLOCK, len(rows))
        index.add(np.arange(start, end, dtype=np.uint64), np.ascontiguousarray(rows.codes[start:end]))
    file = directory / f"index-{manifest.generation}-{len(rows)}.usearch"
    try:
        index.save(str(file))
    except RuntimeError as error:
        raise OSError(errno.EIO, str(error), file.name) from error
    return NeighbourGraph(file=file.name, rows=len(rows), size=file.stat().st_size)


def _begun(directory: Path, manifest: VectorManifest) -> Index:
    """The manifest's graph, or an empty one: what was lost meanwhile can be made again."""
    with suppress(CorpusUnavailable):
        if manifest.graph:
            return _restored(directory, manifest, manifest.graph, view=False)
    return Index(
        ndim=manifest.settings.dimension,
        metric="cos",
        dtype="i8",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_ADD,
    )


def intact(directory: Path, manifest: VectorManifest) -> NeighbourGraph | None:
    """The manifest's graph if its file is there and can be opened: it can be made again, and rows cannot."""
    try:
        if manifest.graph:
            Neighbours(directory, manifest, manifest.graph)
        return manifest.graph
    except CorpusUnavailable:
        return None


class Neighbours:
    """A graph opened for searching."""

    def __init__(self, directory: Path, manifest: VectorManifest, graph: NeighbourGraph) -> None:
        """Raise ``CorpusUnavailable`` for a file that is missing, damaged or another graph's."""
        self.rows = graph.rows
        self._index = _restored(directory, manifest, graph, view=True)
        # usearch has one workspace for each core and refuses whoever comes when all are taken.
        self._lock = threading.Lock()

    def nearest(self, query: Codes, count: int) -> Ids:
        """Numbers of about the ``count`` rows that are most like ``query`` (d,), best first."""
        with self._lock:
            found = self._index.search(query, min(count, self.rows), threads=1)
        return np.asarray(found.keys).astype(np.int64)


def _restored(directory: Path, manifest: VectorManifest, graph: NeighbourGraph, *, view: bool) -> Index:
    file = directory / graph.file
    try:
        size = file.stat().st_size
        if size != graph.size:
            raise CorpusUnavailable(f"«{file}» está dañado: mide {size} bytes y debe tener {graph.size}")
        index = Index.restore(
            str(file), view=view, expansion_add=_EXPANSION_ADD, expansion_search=_EXPANSION_SEARCH
        )
    except OSError as error:
        raise CorpusUnavailable(f"no se puede leer «{file}»: {error.strerror}") from error
    except (RuntimeError, ValueError) as error:
        raise CorpusUnavailable(f"«{file}» está dañado: {error}") from error
    if index is None or len(index) != graph.rows or index.ndim != manifest.settings.dimension:
        raise CorpusUnavailable(f"«{file}» está dañado o no es de estos vectores")
    return index
