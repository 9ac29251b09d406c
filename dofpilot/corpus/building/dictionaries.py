"""Train the dictionaries of zstd on documents spread evenly over the tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from math import ceil

import zstandard

from dofpilot.corpus.blocks import Dictionaries, spans_json
from dofpilot.corpus.errors import BadFile
from dofpilot.corpus.sources import tree
from dofpilot.corpus.sources.chunking import chunk
from dofpilot.corpus.sources.tree import Listing

_TEXT_SIZE = 262_144
_CHUNKS_SIZE = 16_384
_SAMPLES = 1_000
"""Documents to learn from, at most."""
_PIECE = 8_000
"""Bytes of each: more of one document teaches less than another document."""
_FEWEST = 100
"""From fewer documents a dictionary would cost more than it saves."""


def train(listing: Listing) -> Dictionaries:
    """The same dictionaries for the same listing; none where there is too little to learn from."""
    pieces = list(_pieces(listing))
    if len(pieces) < _FEWEST:
        return Dictionaries()
    return Dictionaries(
        _trained(_TEXT_SIZE, [piece.encode() for piece in pieces]),
        _trained(_CHUNKS_SIZE, [spans_json(chunk(piece)) for piece in pieces]),
    )


def _pieces(listing: Listing) -> Iterator[str]:
    step = ceil(len(listing) / _SAMPLES)
    for place, file in enumerate(listing):
        if place % step == 0:
            # What cannot be read is reported by those who make it a document.
            with suppress(BadFile):
                tree.check_kind(file)
                # In turn the beginning and the middle: a law is not made of headings and preambles.
                start = file.size // 2 if place // step % 2 and file.size > 2 * _PIECE else 0
                # The letters that were cut at both ends are left out.
                if piece := tree.read_piece(file, start, _PIECE).decode("utf-8", "ignore"):
                    yield piece


def _trained(size: int, samples: list[bytes | bytearray | memoryview]) -> bytes:
    try:
        return zstandard.train_dictionary(size, samples, k=1024, d=8).as_bytes()
    except zstandard.ZstdError:
        return b""  # it found nothing that repeats itself
