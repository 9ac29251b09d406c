"""From a document to its entries in the full-text index. Pure, so that it can run in any process."""

from __future__ import annotations

from dofpilot.corpus.search.fields import ChunkEntry, DocumentEntry
from dofpilot.corpus.sources.chunking import Chunk
from dofpilot.corpus.sources.documents import Document
from dofpilot.corpus.text.analysis import analyse, label_term


def index_entry(document: Document) -> DocumentEntry:
    name = document.name
    return DocumentEntry(
        document_id=name.document_id,
        day=int(f"{name.publication_date:%Y%m%d}"),
        section=name.section.value,
        title=analyse(document.head.title),
        chunks=tuple(
            ChunkEntry(document.chunk_id(index), _body(document.text, chunk), _headings(chunk))
            for index, chunk in enumerate(document.chunks)
        ),
    )


def _body(text: str, chunk: Chunk) -> str:
    """A table's header helps to find its rows, though it is no part of the citable text."""
    body = analyse(text[chunk.start : chunk.end])
    return f"{analyse(chunk.context)} {body}" if chunk.context else body


def _headings(chunk: Chunk) -> str:
    # The last of the path is a range of labels; the labels say each by itself.
    return " ".join([analyse("\n".join(chunk.heading_path[:-1])), *map(label_term, chunk.labels)])
