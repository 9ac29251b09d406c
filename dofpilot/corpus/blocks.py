"""Blocks: how a document's text and the spans of its chunks are stored, and read back.

A block holds whole chunks that follow one another, so that reading a passage of a long document decompresses
some tens of kilobytes and not a book. Three blobs make it up: the text (zstd), its chunks (zstd of the JSON
``[start, [[length, heading path, context], ...]]``, all in characters) and their digests (raw: hashes do not
compress).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import zstandard
from zstandard import ZstdCompressionDict, ZstdCompressor, ZstdDecompressor

from dofpilot.corpus.digests import SIZE, chunk_digest
from dofpilot.corpus.errors import IntegrityError
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.sources.chunking import Chunk
from dofpilot.corpus.sources.documents import Document

BLOCK_LENGTH = 32_000
"""Characters at which a block ends: twice as much saves 1% of the space and doubles the time of a read."""

_LEVEL = 5
"""Of zstd: a tenth smaller than level 3; 6 gains 2% more and takes half as long again."""
_LARGEST = 16_000_000
"""Bytes that a frame may claim to hold: a damaged claim must not become an allocation."""


@dataclass(frozen=True, slots=True)
class Dictionaries:
    """What zstd knows of texts and of chunk lists beforehand; empty for a corpus too small to learn from."""

    text: bytes = b""
    chunks: bytes = b""


@dataclass(frozen=True, slots=True)
class BlockRow:
    """A block as the database holds it."""

    first_chunk_id: int
    text: bytes
    chunks: bytes
    digests: bytes


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as stored, not verified yet. ``start`` and ``end`` count in the document's characters."""

    chunk_id: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    context: str
    text: str
    digest: bytes

    @property
    def document_id(self) -> int:
        return self.chunk_id // CHUNKS_PER_DOCUMENT

    @property
    def is_intact(self) -> bool:
        found = chunk_digest(self.chunk_id, self.start, self.heading_path, self.context, self.text)
        return found == self.digest


class BlockWriter:
    """Not for several threads at once."""

    def __init__(self, dictionaries: Dictionaries) -> None:
        self._text = _compressor(dictionaries.text)
        self._chunks = _compressor(dictionaries.chunks)

    def pack(self, document: Document) -> tuple[BlockRow, ...]:
        """A document's blocks, in the order of its text."""
        return tuple(self._block(document, first, chunks) for first, chunks in _groups(document.chunks))

    def _block(self, document: Document, first: int, chunks: Sequence[Chunk]) -> BlockRow:
        text = document.text[chunks[0].start : chunks[-1].end]
        digests = (
            chunk_digest(
                document.chunk_id(index),
                chunk.start,
                chunk.heading_path,
                chunk.context,
                document.text[chunk.start : chunk.end],
            )
            for index, chunk in enumerate(chunks, start=first)
        )
        return BlockRow(
            document.chunk_id(first),
            self._text.compress(text.encode()),
            self._chunks.compress(spans_json(chunks)),
            b"".join(digests),
        )


class BlockReader:
    """Any thread may read: each has decompressors of its own, which are no thread's to share."""

    def __init__(self, dictionaries: Dictionaries) -> None:
        self._dictionaries = dictionaries
        self._local = threading.local()

    def unpack(self, row: BlockRow) -> tuple[ChunkRow, ...]:
        """The chunks of a block; raise ``IntegrityError`` where its parts do not fit together."""
        try:
            text = self._decompress("text", row.text).decode()
            start, spans = json.loads(self._decompress("chunks", row.chunks))
            return tuple(_rows(row, start, spans, text))
        except (zstandard.ZstdError, ValueError, TypeError) as error:
            raise IntegrityError(f"el bloque del pasaje {row.first_chunk_id} está dañado: {error}") from error

    def _decompress(self, kind: str, frame: bytes) -> bytes:
        claimed = zstandard.get_frame_parameters(frame).content_size
        if claimed > _LARGEST:
            raise ValueError(f"dice medir {claimed} bytes")
        tool: ZstdDecompressor | None = getattr(self._local, kind, None)
        if tool is None:
            tool = ZstdDecompressor(dict_data=_dictionary(getattr(self._dictionaries, kind)))
            setattr(self._local, kind, tool)
        return tool.decompress(frame)


def spans_json(chunks: Sequence[Chunk]) -> bytes:
    """What a block says about its chunks, before compression."""
    spans = [[chunk.end - chunk.start, chunk.heading_path, chunk.context] for chunk in chunks]
    return json.dumps([chunks[0].start, spans], ensure_ascii=False, separators=(",", ":")).encode()


def _groups(chunks: Sequence[Chunk]) -> Iterator[tuple[int, Sequence[Chunk]]]:
    first = 0
    for index, chunk in enumerate(chunks):
        if chunk.end - chunks[first].start >= BLOCK_LENGTH:
            yield first, chunks[first : index + 1]
            first = index + 1
    if first < len(chunks):
        yield first, chunks[first:]


def _rows(row: BlockRow, start: int, spans: list[Any], text: str) -> Iterator[ChunkRow]:
    ends = list(accumulate((length for length, _, _ in spans), initial=0))
    if not spans or ends[-1] != len(text) or len(spans) * SIZE != len(row.digests):
        raise ValueError("texto, pasajes y huellas no suman lo mismo")
    for index, (length, path, context) in enumerate(spans):
        begin, end = ends[index], ends[index] + length
        yield ChunkRow(
            row.first_chunk_id + index,
            start + begin,
            start + end,
            tuple(path),
            context,
            text[begin:end],
            row.digests[index * SIZE : (index + 1) * SIZE],
        )


def _dictionary(data: bytes) -> ZstdCompressionDict | None:
    return ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_FULLDICT) if data else None


def _compressor(data: bytes) -> ZstdCompressor:
    dictionary = _dictionary(data)
    if dictionary:
        # Once, and not again for every frame.
        dictionary.precompute_compress(level=_LEVEL)
    return ZstdCompressor(level=_LEVEL, dict_data=dictionary, write_checksum=True)
