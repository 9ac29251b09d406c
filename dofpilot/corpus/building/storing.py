"""Write side of ``corpus.sqlite``; the read side is ``store``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date
from operator import attrgetter
from pathlib import Path
from typing import Any

from dofpilot.corpus.blocks import BlockRow, Dictionaries
from dofpilot.corpus.days import day_of
from dofpilot.corpus.digests import dictionary_digest, record_digest
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT

_SCHEMA = Path(__file__).with_name("schema.sql")
_PAGE_SIZE = 1024
"""Bytes. Rows of a few kilobytes leave a fifth of SQLite's usual pages empty, and a twentieth of these."""
_CACHE_KIB = 65_536


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document's metadata in the order of its columns, which end with the digest. ``sample`` is 0 or 1."""

    document_id: int
    path: str
    day: int
    section: str
    number: int
    kind: str
    title: str
    institution: str
    organs: str
    size: int
    chunks: int
    sample: int
    file_digest: bytes


_DOCUMENT = attrgetter(*(column.name for column in fields(DocumentRow)))
_INSERT_BLOCK = "INSERT INTO block (first_chunk_id, text, chunks, digests) VALUES (?, ?, ?, ?)"
_BLOCK = attrgetter(*(column.name for column in fields(BlockRow)))
_INSERT_DOCUMENT = f"INSERT INTO document VALUES ({', '.join('?' * len(fields(DocumentRow)))}, ?)"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Stored:
    """A document in the database. ``added`` says that this build put it there, and not an earlier one."""

    path: str
    size: int
    file_digest: bytes
    added: bool


@dataclass(frozen=True, slots=True)
class Totals:
    """What a database holds in all: sizes of sources in bytes, first and last day of publication."""

    documents: int
    chunks: int
    source_bytes: int
    first: date
    last: date
    sample: bool


class StoreWriter:
    """Fills a database, new or begun before, in transactions that end with ``save``.

    Table ``added`` names the documents that the last build put in, ``recent`` those among them that the
    full-text index may not have yet.
    """

    def __init__(self, path: Path) -> None:
        fresh = not path.exists()
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
        if fresh:
            self._connection.execute(f"PRAGMA page_size={_PAGE_SIZE}")
            self._connection.executescript(_SCHEMA.read_text(encoding="utf-8"))
        self._connection.execute("BEGIN IMMEDIATE")

    def begin_update(self) -> None:
        """What is here belongs to an earlier build."""
        self._connection.execute("DELETE FROM added")

    def set_dictionaries(self, dictionaries: Dictionaries) -> None:
        for name, data in (("text", dictionaries.text), ("chunks", dictionaries.chunks)):
            self._connection.execute(
                "INSERT INTO dictionary VALUES (?, ?, ?)", (name, data, dictionary_digest(name, data))
            )

    def dictionaries(self) -> Dictionaries | None:
        """None before any were set."""
        found = dict(self._connection.execute("SELECT name, data FROM dictionary").fetchall())
        return Dictionaries(**found) if found else None

    def add(self, row: DocumentRow, blocks: tuple[BlockRow, ...]) -> None:
        values = _DOCUMENT(row)
        self._connection.execute(_INSERT_DOCUMENT, (*values, record_digest(values)))
        self._connection.executemany(_INSERT_BLOCK, map(_BLOCK, blocks))
        for table in ("added", "recent"):
            self._connection.execute(f"INSERT INTO {table} VALUES (?)", (row.document_id,))  # noqa: S608

    def find(self, document_id: int) -> Stored | None:
        """A document that was added, in this transaction or before."""
        row = self._connection.execute(
            "SELECT path, size, file_digest, added.document_id IS NOT NULL"
            " FROM document LEFT JOIN added USING (document_id) WHERE document_id = ?",
            (document_id,),
        ).fetchone()
        return Stored(row[0], row[1], row[2], bool(row[3])) if row else None

    @property
    def is_empty(self) -> bool:
        return not self._row("SELECT EXISTS (SELECT 1 FROM document)")[0]

    def added(self) -> int:
        """How many documents this build has put in."""
        return int(self._row("SELECT count(*) FROM added")[0])

    def save(self) -> None:
        """Make all that was added last: it is there after a crash."""
        self._connection.execute("COMMIT")
        self._connection.execute("BEGIN IMMEDIATE")

    def indexed(self) -> None:
        """The full-text index has all that was saved. Holds from the next ``save`` on."""
        self._connection.execute("DELETE FROM recent")

    def agree_with(self, indexed_chunks: int) -> bool:
        """Forget what was saved but never indexed; whether the rest is what an index of that size holds."""
        if self._chunks() == indexed_chunks:
            self.indexed()
            return True
        for (document_id,) in self._connection.execute("SELECT document_id FROM recent").fetchall():
            self._forget(document_id)
        return self._chunks() == indexed_chunks

    def totals(self) -> Totals:
        documents, chunks, size, first, last, sample = self._row(
            "SELECT count(*), ifnull(sum(chunks), 0), ifnull(sum(size), 0), min(day), max(day), min(sample)"
            " FROM document"
        )
        return Totals(documents, chunks, size, day_of(first), day_of(last), bool(sample))

    def files(self) -> Iterator[tuple[str, bytes]]:
        """(path, SHA-256 of the file) of every document, in the order of paths."""
        yield from self._connection.execute("SELECT path, file_digest FROM document ORDER BY path")

    def finish(self, fingerprint: str) -> None:
        """Tie the database to the manifest with that fingerprint, and close it."""
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('fingerprint', ?)", (fingerprint,))
        self._connection.execute("COMMIT")
        self.close()

    def close(self) -> None:
        self._connection.close()

    def _chunks(self) -> int:
        return int(self._row("SELECT ifnull(sum(chunks), 0) FROM document")[0])

    def _forget(self, document_id: int) -> None:
        first = document_id * CHUNKS_PER_DOCUMENT
        self._connection.execute(
            "DELETE FROM block WHERE first_chunk_id BETWEEN ? AND ?", (first, first + CHUNKS_PER_DOCUMENT - 1)
        )
        for table in ("document", "added", "recent"):
            self._connection.execute(f"DELETE FROM {table} WHERE document_id = ?", (document_id,))  # noqa: S608

    def _row(self, statement: str) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self._connection.execute(statement).fetchone()
        return row
