"""What the full-text index holds of a chunk, for those who write it and those who search it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import tantivy

from dofpilot.corpus.errors import CorpusError
from dofpilot.corpus.text.analysis import ANALYSIS_VERSION

TEXT_FIELDS = ("body", "title", "headings")


@dataclass(frozen=True, slots=True)
class ChunkEntry:
    """Analysed terms of one chunk, separated by spaces; ``headings`` are its own, without the document's."""

    chunk_id: int
    body: str
    headings: str


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """All of a document that the index holds. ``day`` is YYYYMMDD."""

    document_id: int
    day: int
    section: str
    title: str
    chunks: tuple[ChunkEntry, ...]


def lexical_fingerprint(corpus_fingerprint: str) -> str:
    """Changes with the corpus' content and with the way it is analysed."""
    return hashlib.sha256(f"{ANALYSIS_VERSION}\n{corpus_fingerprint}".encode()).hexdigest()


def schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    for field in TEXT_FIELDS:
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("section", tokenizer_name="raw", index_option="basic")
    # Signed: unsigned fields cannot be range-queried from Python.
    builder.add_integer_field("chunk_id", indexed=True, fast=True)
    builder.add_integer_field("document_id", indexed=True, fast=True)
    builder.add_integer_field("day", indexed=True, fast=True)
    return builder.build()


@contextmanager
def failing_as(kind: type[CorpusError], sentence: str) -> Iterator[None]:
    """Translate whatever Tantivy raises. Damaged files make it panic, and that is no ``Exception``."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, ValueError | OSError) or type(error).__module__ == "pyo3_runtime":
            raise kind(f"{sentence}: {error}") from error
        raise
