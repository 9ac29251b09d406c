"""What vectors ask of the store: every passage, which passages there are, and when each was published."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from dofpilot.corpus.building.storing import STORE
from dofpilot.corpus.digests import SIZE
from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.store import Store
from dofpilot.corpus.types import Section
from dofpilot.corpus.vectors.rows import Ids

SECTIONS = {section: place for place, section in enumerate(Section)}


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
    rows = list(_select(directory, "SELECT document_id, day, section FROM document ORDER BY document_id"))
    try:
        ids, days, sections = zip(*rows, strict=True) if rows else ((), (), ())
        places = [SECTIONS[Section(section)] for section in sections]
        return Documents(np.array(ids, np.int64), np.array(days, np.int32), np.array(places, np.int8))
    except (ValueError, TypeError, OverflowError) as error:
        raise CorpusUnavailable(f"«{directory / STORE}» está dañado: {error}") from error


def reading(directory: Path) -> Reading:
    """Raise ``CorpusUnavailable`` where the store cannot be read."""
    statement = "SELECT document_id, size, chunks FROM document ORDER BY day DESC, document_id DESC"
    rows = np.array(list(_select(directory, statement)), dtype=np.int64).reshape(-1, 3)
    return Reading(rows[:, 0], rows[:, 1], rows[:, 2])


def known_chunks(directory: Path) -> KnownChunks:
    """All of them; seconds for millions. Raise ``CorpusUnavailable`` where the store cannot be read."""
    ids, digests = [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
    try:
        for first, raw in _select(
            directory, "SELECT first_chunk_id, digests FROM block ORDER BY first_chunk_id"
        ):
            heads = np.frombuffer(raw, np.dtype(f"V{SIZE}")).view("<u8")[:: SIZE // 8]
            ids.append(np.arange(first, first + len(heads), dtype=np.int64))
            digests.append(heads)
    except (ValueError, TypeError) as error:
        raise CorpusUnavailable(f"«{directory / STORE}» está dañado: {error}") from error
    return KnownChunks(np.concatenate(ids), np.concatenate(digests))


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


def _select(directory: Path, statement: str) -> Iterator[Any]:
    uri = f"file:{quote(str((directory / STORE).resolve()))}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            yield from connection.execute(statement)
    except sqlite3.Error as error:
        raise CorpusUnavailable(f"«{directory / STORE}» está dañado: {error}") from error
