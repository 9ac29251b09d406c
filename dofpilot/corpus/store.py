"""Read side of ``corpus.sqlite``: what is served is checked against its hash first."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from dofpilot.corpus.blocks import Block, BlockReader, BlockRow, ChunkRow, Dictionaries
from dofpilot.corpus.database import Reader, Value
from dofpilot.corpus.days import day_number, day_of
from dofpilot.corpus.digests import dictionary_digest, record_digest
from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError
from dofpilot.corpus.files import STORE
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.types import Filters, Passage, Publication, Section

_RECORD = (
    "document_id, path, day, section, number, kind, title, institution, organs, size, chunks, sample, "
    "file_digest, record_digest"
)
_EDITIONS = " ".join(f"WHEN '{section}' THEN {place}" for place, section in enumerate(Section))
_GAZETTE_ORDER = f"day, CASE section {_EDITIONS} END, number, document_id"
_BLOCK = "first_chunk_id, text, chunks, digests"
_BUDGET = 16_000_000
"""Characters of decompressed text that are kept for the next read."""
_BATCH = 500
"""Ids in one statement, well under SQLite's oldest limit of variables."""


class Store:
    """Any thread may call. Passages are read by key, in microseconds, one statement after another; a listing
    may walk through all documents, and has a connection of its own, so that no passage waits for it."""

    def __init__(self, directory: Path) -> None:
        """Raise ``CorpusUnavailable`` for a database that is missing or whose dictionaries are damaged."""
        self._cache = _BlockCache(_BUDGET)
        with ExitStack() as undoing:
            self._passages = undoing.enter_context(closing(Reader(directory / STORE)))
            self._listings = undoing.enter_context(closing(Reader(directory / STORE)))
            try:
                self._blocks = BlockReader(self._dictionaries())
            except IntegrityError as error:
                raise CorpusUnavailable(str(error)) from error
            undoing.pop_all()

    def close(self) -> None:
        self._passages.close()
        self._listings.close()

    def belongs_to(self, fingerprint: str) -> bool:
        """Whether this database can be read and was built together with that manifest."""
        try:
            return self._rows("SELECT value FROM meta WHERE key = 'fingerprint'") == [(fingerprint,)]
        except IntegrityError:
            return False

    def publications(self, document_ids: Iterable[int]) -> dict[int, Publication]:
        """Metadata of the documents that exist among ``document_ids``."""
        rows = self._by_id(f"SELECT {_RECORD} FROM document WHERE document_id IN", document_ids)  # noqa: S608
        return {row[0]: _publication(row) for row in rows}

    def select(
        self, filters: Filters, organs: Sequence[str], limit: int
    ) -> tuple[tuple[Publication, ...], int]:
        """Publications in the gazette's order and how many there are in all.

        ``organs`` are folded alternatives; one of them must occur in the name of an issuing organ.
        """
        where, values = _where(filters, organs)
        total = self._listings.rows(f"SELECT count(*) FROM document WHERE {where}", values)[0][0]  # noqa: S608
        rows = self._listings.rows(
            f"SELECT {_RECORD} FROM document WHERE {where} ORDER BY {_GAZETTE_ORDER} LIMIT ?",  # noqa: S608
            [*values, limit],
        )
        return tuple(map(_publication, rows)), total

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, ChunkRow]:
        """The chunks that exist among ``chunk_ids``; raise ``IntegrityError`` when one is lost."""
        found = {}
        for chunk_id in dict.fromkeys(chunk_ids):
            block = self._block_of(chunk_id)
            if block and chunk_id - block.first_chunk_id < len(block):
                found[chunk_id] = block[chunk_id - block.first_chunk_id]
            elif self._is_lost(chunk_id):
                raise IntegrityError(f"falta el pasaje {chunk_id} en «{STORE}»")
        return found

    def every_chunk(self, after: int = 0) -> Iterator[ChunkRow]:
        """All chunks with a higher id than ``after``, in their order, not verified; blocks one at a time."""
        before = "SELECT ifnull(max(first_chunk_id), 0) FROM block WHERE first_chunk_id <= ?"
        start: int = self._rows(before, [after + 1])[0][0]
        following = f"SELECT {_BLOCK} FROM block WHERE first_chunk_id >= ? ORDER BY first_chunk_id LIMIT 1"  # noqa: S608
        while rows := self._rows(following, [start]):
            yield from (row for row in self._unpack(rows[0]) if row.chunk_id > after)
            start = rows[0][0] + 1

    def document_passages(self, document_id: int) -> list[Passage]:
        """All of a document's passages, which together are its text; raise ``IntegrityError``."""
        chunks = self._document_chunks(document_id)
        passages = self.passages(chunks)
        self._check_whole(document_id, "".join(passage.text for passage in passages), "le faltan pasajes")
        return passages

    def whole_text(self, document_id: int) -> str:
        """A document's text as in its file; raise ``IntegrityError``."""
        text = "".join(chunk.text for chunk in self._document_chunks(document_id))
        self._check_whole(document_id, text, "no coincide con su huella")
        return text

    def passages(self, rows: Sequence[ChunkRow]) -> list[Passage]:
        """Verified texts of chunks, in their order; raise ``IntegrityError`` and give none."""
        publications = self.publications(row.document_id for row in rows)
        return [_passage(row, publications.get(row.document_id)) for row in rows]

    def _dictionaries(self) -> Dictionaries:
        found = {}
        for name, data, digest in self._rows("SELECT name, data, digest FROM dictionary"):
            if not isinstance(data, bytes) or dictionary_digest(name, data) != digest:
                raise IntegrityError(f"un diccionario de «{STORE}» no coincide con su huella")
            found[name] = data
        if found.keys() != {"text", "chunks"}:
            raise IntegrityError(f"a «{STORE}» le faltan sus diccionarios")
        return Dictionaries(**found)

    def _block_of(self, chunk_id: int) -> Block | None:
        """The block that holds a chunk if there is such a chunk; otherwise any, or none."""
        rows = self._rows(
            "SELECT first_chunk_id FROM block WHERE first_chunk_id <= ? ORDER BY first_chunk_id DESC LIMIT 1",
            [chunk_id],
        )
        if not rows or rows[0][0] // CHUNKS_PER_DOCUMENT != chunk_id // CHUNKS_PER_DOCUMENT:
            return None
        block = self._cache.get(rows[0][0])
        if block is None:
            (stored,) = self._rows(f"SELECT {_BLOCK} FROM block WHERE first_chunk_id = ?", rows[0])  # noqa: S608
            block = self._unpack(stored)
            self._cache.put(block)
        return block

    def _document_chunks(self, document_id: int) -> list[ChunkRow]:
        first = document_id * CHUNKS_PER_DOCUMENT
        rows = self._rows(
            f"SELECT {_BLOCK} FROM block WHERE first_chunk_id BETWEEN ? AND ? ORDER BY first_chunk_id",  # noqa: S608
            [first, first + CHUNKS_PER_DOCUMENT - 1],
        )
        return [chunk for row in rows for chunk in self._unpack(row)]

    def _unpack(self, row: tuple[Any, ...]) -> Block:
        if [type(value) for value in row] != [int, bytes, bytes, bytes]:
            raise IntegrityError(f"el bloque del pasaje {row[0]} está dañado")
        return self._blocks.unpack(BlockRow(*row))

    def _check_whole(self, document_id: int, text: str, fault: str) -> None:
        rows = self._rows("SELECT file_digest FROM document WHERE document_id = ?", [document_id])
        if [(hashlib.sha256(text.encode()).digest(),)] != rows:
            raise IntegrityError(f"el texto del documento {document_id} está dañado: {fault}")

    def _is_lost(self, chunk_id: int) -> bool:
        """Whether its document counts a chunk that is in no block."""
        rows = self._rows(
            "SELECT 1 FROM document WHERE document_id = ? AND chunks > ?",
            divmod(chunk_id, CHUNKS_PER_DOCUMENT),
        )
        return bool(rows)

    def _by_id(self, statement: str, ids: Iterable[int]) -> list[Any]:
        wanted, rows = list(dict.fromkeys(ids)), list[Any]()
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            rows += self._rows(f"{statement} ({','.join('?' * len(batch))})", batch)
        return rows

    def _rows(self, statement: str, values: Sequence[Value] = ()) -> list[Any]:
        return self._passages.rows(statement, values)


class _BlockCache:
    """The blocks used last, up to a number of characters; the newest stays even if it is larger."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._size = 0
        self._blocks: OrderedDict[int, Block] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, first_chunk_id: int) -> Block | None:
        with self._lock:
            if first_chunk_id in self._blocks:
                self._blocks.move_to_end(first_chunk_id)
            return self._blocks.get(first_chunk_id)

    def put(self, block: Block) -> None:
        with self._lock:
            replaced = self._blocks.pop(block.first_chunk_id, None)
            self._size += len(block.text) - (len(replaced.text) if replaced else 0)
            self._blocks[block.first_chunk_id] = block
            while self._size > self._budget and len(self._blocks) > 1:
                self._size -= len(self._blocks.popitem(last=False)[1].text)


def _passage(row: ChunkRow, publication: Publication | None) -> Passage:
    if publication is None or not row.is_intact:
        raise IntegrityError(f"el pasaje {row.chunk_id} no coincide con su huella")
    index = row.chunk_id % CHUNKS_PER_DOCUMENT
    return Passage(
        row.chunk_id, index, publication, row.heading_path, row.start, row.end, row.text, row.context
    )


def _publication(row: tuple[Any, ...]) -> Publication:
    *record, digest = row
    if record_digest(record) != digest:
        raise IntegrityError(f"los datos del documento {row[0]} no coinciden con su huella")
    document_id, path, day, section, _, _, title, institution, *_ = record
    published = day_of(day)
    return Publication(document_id, path, title, institution, published, Section(section))


def _where(filters: Filters, organs: Sequence[str]) -> tuple[str, list[Value]]:
    conditions, values = list[str](), list[Value]()
    limits = (("day <= ?", filters.as_of), ("day >= ?", filters.date_from), ("day <= ?", filters.date_to))
    for condition, day in limits:
        if day:
            conditions.append(condition)
            values.append(day_number(day))
    if filters.section:
        conditions.append("section = ?")
        values.append(filters.section.value)
    if organs:
        conditions.append("(" + " OR ".join(["instr(organs, ?) > 0"] * len(organs)) + ")")
    return " AND ".join(conditions) or "1", [*values, *organs]
