"""Write side of ``corpus.sqlite``; the read side is ``store``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import zstandard

from dofpilot.corpus.days import day_number
from dofpilot.corpus.digests import chunk_digest, record_digest
from dofpilot.corpus.sources.documents import Document
from dofpilot.corpus.text.folding import fold

STORE = "corpus.sqlite"

_SCHEMA = Path(__file__).with_name("schema.sql")
_LEVEL = 3


class StoreWriter:
    """Fills a new database; nothing can be read from it before ``finish``."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        # No journal: a build that fails is thrown away whole.
        self._connection.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
        self._connection.executescript(_SCHEMA.read_text(encoding="utf-8"))
        self._connection.execute("BEGIN")
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)

    def add(self, document: Document) -> None:
        name, head = document.name, document.head
        day = day_number(name.publication_date)
        record = (
            name.document_id,
            name.path,
            day,
            name.section.value,
            name.number,
            head.title,
            head.institution,
        )
        self._connection.execute(
            "INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *record[:5],
                name.kind,
                *record[5:],
                fold("\n".join(head.organs)),
                self._compressor.compress(document.text.encode()),
                document.file_digest,
                record_digest(record),
            ),
        )
        self._connection.executemany("INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?)", _chunk_rows(document))

    def files(self) -> Iterator[tuple[str, bytes]]:
        """(path, SHA-256 of the file) of every document, in the order of paths."""
        yield from self._connection.execute("SELECT path, file_digest FROM document ORDER BY path")

    def finish(self, fingerprint: str) -> None:
        self._connection.execute("INSERT INTO meta VALUES ('fingerprint', ?)", (fingerprint,))
        self._connection.execute("COMMIT")
        self.close()

    def close(self) -> None:
        self._connection.close()


def _chunk_rows(document: Document) -> Iterator[tuple[int, int, int, str, str, bytes]]:
    for index, chunk in enumerate(document.chunks):
        path = json.dumps(chunk.heading_path, ensure_ascii=False)
        chunk_id = document.chunk_id(index)
        digest = chunk_digest(chunk_id, document.text[chunk.start : chunk.end], path, chunk.context)
        yield chunk_id, chunk.start, chunk.end, path, chunk.context, digest
