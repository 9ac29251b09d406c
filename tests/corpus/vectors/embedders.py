"""An embedder without a model: texts that share words are alike, always in the same way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from dofpilot.corpus.vectors.embedding import EmbeddingSettings, Vectors

DIMENSION = 48


def hashed(text: str, dimension: int = DIMENSION) -> list[float]:
    """A sum of pseudo-random directions, one for each word."""
    total = np.full(dimension, 1e-3)
    for word in text.lower().split():
        digest = hashlib.shake_256(word.encode()).digest(dimension)
        total += np.frombuffer(digest, np.uint8) / 127.5 - 1
    return (total / np.linalg.norm(total)).tolist()


class HashingEmbedder:
    """``before`` is called before each batch of passages, and may raise."""

    def __init__(
        self, dimension: int = DIMENSION, before: Callable[[], None] = lambda: None, **settings: str
    ) -> None:
        self.settings = replace(EmbeddingSettings("prueba", "palabras"), **settings)
        self._dimension, self._before = dimension, before

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        self._before()
        return np.array([hashed(text, self._dimension) for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return np.array(hashed(text, self._dimension), dtype=np.float32)
