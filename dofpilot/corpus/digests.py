"""The hashes that tie what is served to what was read at build time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

SIZE = 32
"""Bytes of a digest."""

_UNIT, _RECORD = b"\x1f", b"\x1e"
# Made once: json.dumps with options makes an encoder at every call.
_json = json.JSONEncoder(ensure_ascii=False).encode


def chunk_digest(chunk_id: int, start: int, heading_path: Sequence[str], context: str, text: str) -> bytes:
    """SHA-256 of a passage, of the id it is asked for by, of its place and of the labels it is shown with."""
    labels = _json([chunk_id, start, list(heading_path), context])
    # JSON escapes control characters: the first unit separator is where the labels end.
    return hashlib.sha256(labels.encode() + _UNIT + text.encode()).digest()


def record_digest(fields: Iterable[str | int | bytes]) -> bytes:
    """SHA-256 of a document's metadata: all of its columns but this one, in their order."""
    plain = [field.hex() if isinstance(field, bytes) else field for field in fields]
    return hashlib.sha256(_json(plain).encode()).digest()


def dictionary_digest(name: str, data: bytes) -> bytes:
    """SHA-256 of a compression dictionary under its name."""
    return hashlib.sha256(name.encode() + _UNIT + data).digest()


def corpus_fingerprint(chunker_version: str, files: Iterable[tuple[str, bytes]]) -> str:
    """Hex SHA-256 of (path, SHA-256 of the file) in the order of paths; file dates play no part."""
    state = hashlib.sha256(chunker_version.encode() + _RECORD)
    for path, digest in files:
        state.update(path.encode() + _UNIT + digest + _RECORD)
    return state.hexdigest()
