"""The two data files: one int8 vector for each row, and whose vector it is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numkong
import numpy as np
import numpy.typing as npt

from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.vectors.embedding import Vectors
from dofpilot.corpus.vectors.manifest import VectorManifest, VectorSettings, owners_file, vectors_file

Ids = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int8]
Owners = npt.NDArray[np.void]

OWNER = np.dtype([("chunk_id", "<i8"), ("digest", "<u8"), ("window", "<u4"), ("windows", "<u4")])
"""A row: its chunk, the first 8 bytes of the chunk's SHA-256, which of its windows, and of how many.

The rows of a chunk follow one another. The digest tells a chunk from its successor of the same id, and
the number of windows tells a whole chunk from one that was cut off by the end of a process.
"""


def quantised(vectors: Vectors) -> Codes:
    """(n, d) as int8, each row scaled so that its largest value is 127.

    Only the direction counts for the cosine, so each row may have its own scale and use all of int8: a
    fifth of the error that one scale for all rows leaves, whose values are seldom over a quarter.
    """
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    codes: Codes = np.rint(vectors * (127 / largest)).astype(np.int8)
    return codes


def cosines(codes: Codes, query: Codes) -> Vectors:
    """Similarity of every row with ``query`` (d,): (n,), from -1 to 1."""
    if not len(codes):
        return np.empty(0, dtype=np.float32)
    distances: Any = numkong.cdist(query.reshape(1, -1), codes, "angular")
    # Rounded, so that equal vectors tie whatever instructions the machine has.
    similarities: Vectors = np.round(1 - np.asarray(distances)[0], 6).astype(np.float32)
    return similarities


@dataclass(frozen=True)
class Rows:
    """The rows of a manifest, mapped: ``owners`` (n,) of ``OWNER`` and ``codes`` (n, d)."""

    owners: Owners
    codes: Codes

    def __len__(self) -> int:
        return len(self.owners)


def map_rows(directory: Path, manifest: VectorManifest) -> Rows:
    """Raise ``CorpusUnavailable`` for a file that is missing or shorter than the manifest says, and for
    owners that are not the ones written: a wrong vector is a bad neighbour, a wrong owner is a wrong passage.

    Longer is no fault: ``embed_corpus`` may be at work, and what it adds is not in this manifest.
    """
    dimension = manifest.settings.dimension
    generation, size = manifest.generation, manifest.rows * dimension
    codes = _mapped(directory / vectors_file(generation), np.dtype(np.int8), size)
    owners = _mapped(directory / owners_file(generation), OWNER, manifest.rows)
    if hashlib.sha256(owners).hexdigest() != manifest.owners_sha256:
        raise CorpusUnavailable(f"«{directory / owners_file(generation)}» está dañado")
    return Rows(owners, codes.reshape(manifest.rows, dimension))


def _mapped(file: Path, kind: np.dtype[Any], count: int) -> Any:
    try:
        size = file.stat().st_size
        # To read past the end of a mapped file kills the process.
        if size < count * kind.itemsize:
            raise CorpusUnavailable(
                f"«{file}» está dañado: mide {size} bytes y debe tener {count * kind.itemsize}"
            )
        return np.memmap(file, kind, "r", shape=(count,)) if count else np.empty(0, kind)
    except OSError as error:
        raise CorpusUnavailable(f"no se puede leer «{file}»: {error.strerror}") from error


def starts_of(owners: Owners) -> Ids:
    """The first row of each chunk. Raise ``ValueError`` where the rows are not whole chunks in order."""
    window, windows = owners["window"], owners["windows"]
    starts = np.flatnonzero(window == 0)
    ends = np.append(starts[1:], len(owners))
    if len(owners) and (not len(starts) or starts[0] != 0):
        raise ValueError("no empieza donde empieza un pasaje")
    if (windows[starts] != ends - starts).any():
        raise ValueError("un pasaje no tiene todas sus filas")
    if not ((window[1:] == 0) | (window[1:] == window[:-1] + 1)).all():
        raise ValueError("las filas de un pasaje no están en orden")
    return starts


class Fingerprint:
    """SHA-256 of rows as they are added; the same however they were divided into additions."""

    def __init__(self, settings: VectorSettings) -> None:
        self._settings = settings.model_dump_json().encode()
        self._owners, self._codes = hashlib.sha256(), hashlib.sha256()

    def add(self, owners: Owners, codes: Codes) -> None:
        self._owners.update(np.ascontiguousarray(owners).tobytes())
        self._codes.update(np.ascontiguousarray(codes).data)

    def owners_hexdigest(self) -> str:
        return self._owners.hexdigest()

    def hexdigest(self) -> str:
        return hashlib.sha256(self._settings + self._owners.digest() + self._codes.digest()).hexdigest()


def content_fingerprint(settings: VectorSettings, rows: Rows, block: int = 65_536) -> Fingerprint:
    """Of all ``rows``, by reading them whole: a second for each gigabyte or so."""
    state = Fingerprint(settings)
    for start in range(0, len(rows), block):
        state.add(rows.owners[start : start + block], rows.codes[start : start + block])
    return state


def whole_rows(rows: Rows) -> int:
    """How many rows from the first on are whole chunks with a vector; what a power cut left is zeros."""
    blank = np.flatnonzero(~rows.codes.any(axis=1))
    owners = rows.owners[: blank[0] if len(blank) else len(rows)]
    kept = 0
    while kept < len(owners):
        windows = int(owners["windows"][kept])
        chunk = owners[kept : kept + windows]
        if not windows or (chunk["window"] != np.arange(windows)[: len(chunk)]).any():
            break
        if len(chunk) < windows or (chunk["chunk_id"] != chunk["chunk_id"][0]).any():
            break
        kept += windows
    return kept
