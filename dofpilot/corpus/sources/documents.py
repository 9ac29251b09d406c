"""From a file of the tree to all that the corpus stores about it. Pure, so that it can run in any process."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass

from dofpilot.corpus.errors import BadFile
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT, DocumentName
from dofpilot.corpus.sources.chunking import Chunk, chunk
from dofpilot.corpus.sources.headings import Head, is_sample, read_head


@dataclass(frozen=True, slots=True)
class Document:
    """``file_digest`` is the SHA-256 of the file's bytes, ``size`` their number."""

    name: DocumentName
    head: Head
    text: str
    chunks: tuple[Chunk, ...]
    file_digest: bytes
    size: int
    sample: bool

    def chunk_id(self, index: int) -> int:
        return self.name.document_id * CHUNKS_PER_DOCUMENT + index


def prepare(name: DocumentName, content: bytes) -> Document:
    """Decode, chunk and title one file; raise ``BadFile``."""
    text = _decode(content)
    chunks = chunk(text)
    if len(chunks) > CHUNKS_PER_DOCUMENT:
        raise BadFile(f"tiene {len(chunks)} pasajes; caben {CHUNKS_PER_DOCUMENT}")
    head = read_head(text, fallback=name.path.rpartition("/")[2])
    return Document(name, head, text, chunks, hashlib.sha256(content).digest(), len(content), is_sample(text))


def _decode(content: bytes) -> str:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadFile(f"no es UTF-8 (byte {error.start})") from None
    if not any(map(_is_visible, text)):
        raise BadFile("está vacío")
    return text


def _is_visible(character: str) -> bool:
    """Letters, digits, punctuation and symbols are; blanks and control or format characters are not."""
    return unicodedata.category(character)[0] in "LNPS"
