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
from typing import Any, overload

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
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
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


class Block(Sequence[ChunkRow]):
    """The chunks of a block, in order, each made when it is asked for: most readers want one of ten."""

    def __init__(self, first_chunk_id: int, text: str, start: int, spans: list[Any], digests: bytes) -> None:
        """``spans`` are [length, heading path, context]; raise ``ValueError`` or ``TypeError`` for damage."""
        self.first_chunk_id = first_chunk_id
        self.text = text
        self._start = start
        self._spans = spans
        self._digests = digests
        if any([type(value) for value in span] != [int, list, str] for span in spans):
            raise TypeError("la lista de pasajes tiene otra forma")
        self._ends = list(accumulate((length for length, _, _ in spans), initial=0))
        if not spans or self._ends[-1] != len(text) or len(spans) * SIZE != len(digests):
            raise ValueError("texto, pasajes y huellas no suman lo mismo")

    def __len__(self) -> int:
        return len(self._spans)

    @overload
    def __getitem__(self, index: int) -> ChunkRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ChunkRow]: ...
    def __getitem__(self, index: int | slice) -> ChunkRow | Sequence[ChunkRow]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        _, path, context = self._spans[index]
        begin, end = self._ends[index], self._ends[index + 1]
        return ChunkRow(
            self.first_chunk_id + index,
            self._start + begin,
            self._start + end,
            tuple(path),
            context,
            self.text[begin:end],
            self._digests[index * SIZE : (index + 1) * SIZE],
        )


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

    def unpack(self, row: BlockRow) -> Block:
        """The chunks of a block; raise ``IntegrityError`` where its parts do not fit together."""
        try:
            text = self._decompress("text", row.text).decode()
            start, spans = json.loads(self._decompress("chunks", row.chunks))
            return Block(row.first_chunk_id, text, start, spans, row.digests)
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
    return _json([chunks[0].start, spans]).encode()


def _groups(chunks: Sequence[Chunk]) -> Iterator[tuple[int, Sequence[Chunk]]]:
    first = 0
    for index, chunk in enumerate(chunks):
        if chunk.end - chunks[first].start >= BLOCK_LENGTH:
            yield first, chunks[first : index + 1]
            first = index + 1
    if first < len(chunks):
        yield first, chunks[first:]


def _dictionary(data: bytes) -> ZstdCompressionDict | None:
    return ZstdCompressionDict(data, dict_type=zstandard.DICT_TYPE_FULLDICT) if data else None


def _compressor(data: bytes) -> ZstdCompressor:
    dictionary = _dictionary(data)
    if dictionary:
        # Once, and not again for every frame.
        dictionary.precompute_compress(level=_LEVEL)
    return ZstdCompressor(level=_LEVEL, dict_data=dictionary, write_checksum=True)
