"""Write side of the full-text index: one Tantivy entry per chunk, holding analysed terms and no text."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import tantivy

from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.search.fields import ChunkEntry, DocumentEntry, failing_as, schema

_HEAP_BYTES = 256_000_000


class LexicalWriter:
    """Fills an index, new or begun before. Every operation raises ``BuildError`` where it cannot write."""

    def __init__(self, directory: Path) -> None:
        self._failures = f"no se puede escribir «{directory}»"
        directory.mkdir(exist_ok=True)
        with self._translated():
            self._index = tantivy.Index(schema(), path=str(directory))
            self._writer = self._index.writer(_HEAP_BYTES, num_threads=1)

    def __len__(self) -> int:
        """Entries that were saved."""
        with self._translated():
            self._index.reload()
            return self._index.searcher().num_docs

    def add(self, document: DocumentEntry) -> None:
        with self._translated():
            for chunk in document.chunks:
                self._writer.add_document(_entry(document, chunk))

    def save(self) -> None:
        """Make all that was added last: it is there after a crash."""
        with self._translated():
            self._writer.commit()

    def finish(self) -> None:
        with self._translated():
            self._writer.commit()
            self._writer.wait_merging_threads()

    def close(self) -> None:
        """Give up what was not saved, and the lock on the directory."""
        del self._writer, self._index

    def _translated(self) -> AbstractContextManager[None]:
        return failing_as(BuildError, self._failures)


def _entry(document: DocumentEntry, chunk: ChunkEntry) -> tantivy.Document:
    entry = tantivy.Document()
    entry.add_text("body", chunk.body)
    entry.add_text("title", document.title)
    entry.add_text("headings", chunk.headings)
    entry.add_text("section", document.section)
    entry.add_integer("chunk_id", chunk.chunk_id)
    entry.add_integer("document_id", document.document_id)
    entry.add_integer("day", document.day)
    return entry
