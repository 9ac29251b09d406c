"""The hashes that tie what is served to what was read at build time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

_UNIT, _RECORD = b"\x1f", b"\x1e"


def chunk_digest(chunk_id: int, text: str, heading_path: str, context: str) -> bytes:
    """SHA-256 of a passage, of the id it is asked for by and of the labels it is shown with."""
    parts = (str(chunk_id), text, heading_path, context)
    return hashlib.sha256(_UNIT.join(part.encode() for part in parts)).digest()


def record_digest(fields: Iterable[str | int]) -> bytes:
    """SHA-256 of a document's metadata."""
    return hashlib.sha256(_UNIT.join(str(field).encode() for field in fields)).digest()


def corpus_fingerprint(chunker_version: str, files: Iterable[tuple[str, bytes]]) -> str:
    """Hex SHA-256 of (path, SHA-256 of the file) in the order of paths; file dates play no part."""
    state = hashlib.sha256(chunker_version.encode() + _RECORD)
    for path, digest in files:
        state.update(path.encode() + _UNIT + digest + _RECORD)
    return state.hexdigest()
