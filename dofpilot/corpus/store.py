"""Read side of ``corpus.sqlite``: what is served is checked against its hash first."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import zstandard

from dofpilot.corpus.building.storing import STORE
from dofpilot.corpus.days import day_number, day_of
from dofpilot.corpus.digests import chunk_digest, record_digest
from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.types import Filters, Passage, Publication, Section

_RECORD = "document_id, path, day, section, number, title, institution, record_digest"
_EDITIONS = " ".join(f"WHEN '{section}' THEN {place}" for place, section in enumerate(Section))
_GAZETTE_ORDER = f"day, CASE section {_EDITIONS} END, number, document_id"
_TEXT_BUDGET = 16_000_000
"""Characters of decompressed text that are kept for the next read."""
_BATCH = 500
"""Ids in one statement, well under SQLite's oldest limit of variables."""


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as stored; ``path_json`` is its heading path as it was hashed."""

    chunk_id: int
    start: int
    end: int
    path_json: str
    context: str
    digest: bytes

    @property
    def document_id(self) -> int:
        return self.chunk_id // CHUNKS_PER_DOCUMENT


class Store:
    """One read-only connection behind a lock: any thread may call, statements take microseconds."""

    def __init__(self, directory: Path) -> None:
        file = directory / STORE
        if not file.is_file():
            raise CorpusUnavailable(f"falta «{file}»")
        # The lock is what check_same_thread stands for.
        uri = f"file:{quote(str(file.resolve()))}?mode=ro"
        self._connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        self._connection.execute("PRAGMA query_only=ON")
        self._lock = threading.Lock()
        self._texts = _TextCache(_TEXT_BUDGET)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

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
        total = self._rows(f"SELECT count(*) FROM document WHERE {where}", values)[0][0]  # noqa: S608
        rows = self._rows(
            f"SELECT {_RECORD} FROM document WHERE {where} ORDER BY {_GAZETTE_ORDER} LIMIT ?",  # noqa: S608
            [*values, limit],
        )
        return tuple(map(_publication, rows)), total

    def chunks(self, chunk_ids: Iterable[int]) -> dict[int, ChunkRow]:
        """The chunks that exist among ``chunk_ids``."""
        rows = self._by_id("SELECT * FROM chunk WHERE chunk_id IN", chunk_ids)
        return {row[0]: _chunk_row(row) for row in rows}

    def document_passages(self, document_id: int) -> list[Passage]:
        """All of a document's passages, which together are its text; raise ``IntegrityError``."""
        first = document_id * CHUNKS_PER_DOCUMENT
        bounds = [first, first + CHUNKS_PER_DOCUMENT - 1]
        rows = self._rows("SELECT * FROM chunk WHERE chunk_id BETWEEN ? AND ? ORDER BY chunk_id", bounds)
        passages = self.passages([_chunk_row(row) for row in rows])
        if "".join(passage.text for passage in passages) != self._text(document_id):
            raise IntegrityError(f"al documento {document_id} le faltan pasajes")
        return passages

    def whole_text(self, document_id: int) -> str:
        """A document's text as in its file; raise ``IntegrityError``."""
        text = self._text(document_id)
        rows = self._rows("SELECT file_digest FROM document WHERE document_id = ?", [document_id])
        if [(hashlib.sha256(text.encode()).digest(),)] != rows:
            raise IntegrityError(f"el texto del documento {document_id} no coincide con su huella")
        return text

    def passages(self, rows: Sequence[ChunkRow]) -> list[Passage]:
        """Verified texts of chunks, in their order; raise ``IntegrityError`` and give none."""
        publications = self.publications(row.document_id for row in rows)
        return [self._passage(row, publications.get(row.document_id)) for row in rows]

    def _passage(self, row: ChunkRow, publication: Publication | None) -> Passage:
        text = self._text(row.document_id)[row.start : row.end]
        digest = chunk_digest(row.chunk_id, text, row.path_json, row.context)
        if publication is None or digest != row.digest:
            raise IntegrityError(f"el pasaje {row.chunk_id} no coincide con su huella")
        index = row.chunk_id % CHUNKS_PER_DOCUMENT
        path = tuple(json.loads(row.path_json))
        return Passage(row.chunk_id, index, publication, path, row.start, row.end, text, row.context)

    def _text(self, document_id: int) -> str:
        text = self._texts.get(document_id)
        if text is None:
            rows = self._rows("SELECT text FROM document WHERE document_id = ?", [document_id])
            text = _decompress(document_id, rows)
            self._texts.put(document_id, text)
        return text

    def _by_id(self, statement: str, ids: Iterable[int]) -> list[Any]:
        wanted, rows = list(dict.fromkeys(ids)), list[Any]()
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            rows += self._rows(f"{statement} ({','.join('?' * len(batch))})", batch)
        return rows

    def _rows(self, statement: str, values: Sequence[int | str] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except sqlite3.ProgrammingError as error:
            raise CorpusUnavailable(f"el acervo está cerrado: {error}") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # Damaged names reach Python inside SQLite's own message, which is then no UTF-8 either.
            raise IntegrityError(f"«{STORE}» está dañado: {error}") from error


class _TextCache:
    """The texts used last, up to a number of characters; the newest stays even if it is larger."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._size = 0
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, document_id: int) -> str | None:
        with self._lock:
            if document_id in self._texts:
                self._texts.move_to_end(document_id)
            return self._texts.get(document_id)

    def put(self, document_id: int, text: str) -> None:
        with self._lock:
            self._size += len(text) - len(self._texts.pop(document_id, ""))
            self._texts[document_id] = text
            while self._size > self._budget and len(self._texts) > 1:
                self._size -= len(self._texts.popitem(last=False)[1])


def _chunk_row(row: tuple[Any, ...]) -> ChunkRow:
    if [type(value) for value in row] != [int, int, int, str, str, bytes]:
        raise IntegrityError(f"la fila del pasaje {row[0]} está dañada")
    return ChunkRow(*row)


def _decompress(document_id: int, rows: list[Any]) -> str:
    try:
        ((data,),) = rows
        return zstandard.ZstdDecompressor().decompress(data).decode()
    except (zstandard.ZstdError, ValueError, TypeError) as error:
        raise IntegrityError(f"el texto del documento {document_id} está dañado: {error}") from error


def _publication(row: tuple[Any, ...]) -> Publication:
    *record, digest = row
    if record_digest(record) != digest:
        raise IntegrityError(f"los datos del documento {row[0]} no coinciden con su huella")
    document_id, path, day, section, _, title, institution = record
    published = day_of(day)
    return Publication(document_id, path, title, institution, published, Section(section))


def _where(filters: Filters, organs: Sequence[str]) -> tuple[str, list[int | str]]:
    conditions, values = list[str](), list[int | str]()
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
