"""What vectors ask of the store: every passage, which passages there are, and when each was published."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dofpilot.corpus.database import open_read_only
from dofpilot.corpus.digests import SIZE
from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError
from dofpilot.corpus.files import STORE
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.store import Store
from dofpilot.corpus.types import Section
from dofpilot.corpus.vectors.rows import Ids

SECTIONS = {section: place for place, section in enumerate(Section)}

_DOCUMENT = np.dtype([("id", np.int64), ("day", np.int32), ("section", np.int8)])
_READ = np.dtype([("id", np.int64), ("size", np.int64), ("chunks", np.int64)])
_DIGEST = np.dtype({"names": ["head"], "formats": ["<u8"], "itemsize": SIZE})


@dataclass(frozen=True, slots=True)
class SourceChunk:
    """A verified passage; ``digest`` is the first 8 bytes of its SHA-256 as an integer."""

    chunk_id: int
    digest: int
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Documents:
    """Every document in the order of ids: (n,) ids, days as YYYYMMDD, and places in ``SECTIONS``."""

    ids: Ids
    days: npt.NDArray[np.int32]
    sections: npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Reading:
    """The documents in the order in which they are embedded, each with its bytes and number of chunks: (n,).

    The newest first: embedding a gazette takes weeks on a small machine, and most questions are about the
    law in force. What is not embedded yet is then the oldest part, and not a part that nobody can name.
    """

    ids: Ids
    sizes: Ids
    chunks: Ids


@dataclass(frozen=True, slots=True)
class KnownChunks:
    """Every chunk in the order of ids, with the first 8 bytes of its digest; 16 bytes of memory each."""

    ids: Ids
    digests: npt.NDArray[np.uint64]

    def having(self, ids: Ids, digests: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Which of those chunks are in the corpus with that very digest: (n,)."""
        if not len(self.ids):
            return np.zeros(len(ids), dtype=bool)
        places = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        found: npt.NDArray[np.bool_] = (self.ids[places] == ids) & (self.digests[places] == digests)
        return found


def documents(directory: Path) -> Documents:
    """Raise ``CorpusUnavailable`` where the store cannot be read."""
    with _connected(directory) as connection:
        # In whatever order is cheapest to read: the numbers are sorted sooner than SQLite's rows.
        found = connection.execute("SELECT document_id, day, section FROM document")
        rows = np.fromiter(((code, day, SECTIONS[section]) for code, day, section in found), _DOCUMENT)
    rows.sort(order="id")
    return Documents(*(np.ascontiguousarray(rows[name]) for name in ("id", "day", "section")))


def reading(directory: Path) -> Reading:
    """Raise ``CorpusUnavailable`` where the store cannot be read."""
    statement = "SELECT document_id, size, chunks FROM document ORDER BY day DESC, document_id DESC"
    with _connected(directory) as connection:
        rows = np.fromiter(connection.execute(statement), _READ)
    return Reading(rows["id"], rows["size"], rows["chunks"])


def known_chunks(directory: Path) -> KnownChunks:
    """All of them; seconds for millions. Raise ``CorpusUnavailable`` where the store cannot be read."""
    with _connected(directory) as connection:
        ((size,),) = connection.execute("SELECT ifnull(sum(length(digests)), 0) FROM block")
        ids, digests = np.empty(size // SIZE, np.int64), np.empty(size // SIZE, np.uint64)
        end = 0
        blocks = "SELECT first_chunk_id, digests FROM block ORDER BY first_chunk_id"
        for first, raw in connection.execute(blocks):
            heads = np.frombuffer(raw, _DIGEST)["head"]
            start, end = end, end + len(heads)
            ids[start:end] = np.arange(first, first + len(heads))
            digests[start:end] = heads
    return KnownChunks(ids, digests)


def passages(store: Store, document_ids: Iterable[int]) -> Iterator[SourceChunk]:
    """The passages of the documents in their order; raise ``IntegrityError`` for a damaged one."""
    for document_id in document_ids:
        publication = store.publications([document_id])[document_id]
        for row in store.every_chunk(after=document_id * CHUNKS_PER_DOCUMENT - 1):
            if row.document_id != document_id:
                break
            if not row.is_intact:
                raise IntegrityError(f"el pasaje {row.chunk_id} no coincide con su huella")
            head = int.from_bytes(row.digest[:8], "little")
            yield SourceChunk(row.chunk_id, head, publication.title, row.text)


@contextmanager
def _connected(directory: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading numbers; whatever is wrong with them is ``CorpusUnavailable``."""
    try:
        with closing(open_read_only(directory / STORE)) as connection:
            yield connection
    except (sqlite3.Error, ValueError, TypeError, KeyError, OverflowError) as error:
        raise CorpusUnavailable(f"«{directory / STORE}» está dañado: {error}") from error
