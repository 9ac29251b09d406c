"""The corpus that this process has open, and its replacement when a new one takes its place."""

from __future__ import annotations

import logging
import threading
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.files import VECTORS
from dofpilot.corpus.manifest import MANIFEST
from dofpilot.corpus.vectors.choosing import make_embedder
from dofpilot.corpus.vectors.embedding import Embedder

logger = logging.getLogger(__name__)

_Identity = tuple[Path, tuple[int, int] | None, tuple[int, int] | None]

_lock = threading.Lock()
_open: tuple[_Identity, Corpus] | None = None


def corpus() -> Corpus:
    """The corpus at ``DOFPILOT_CORPUS``. Raises ``CorpusUnavailable``, which names the setting.

    A rebuilt corpus is a new directory with a new manifest, and vectors that were added have a new one too,
    so both are noticed here. The old corpus is left to whoever still reads from it and closed by its last
    reader.
    """
    global _open
    path = Path(settings.CORPUS)
    with _lock:
        try:
            identity = (path, _version(path / MANIFEST), _version(path / VECTORS / MANIFEST))
            if _open is None or _open[0] != identity:
                _open = (identity, Corpus.open(path, _embedder()))
        except (OSError, CorpusUnavailable) as error:
            _open = None
            raise CorpusUnavailable(f"DOFPILOT_CORPUS ({path}): {error}") from error
        return _open[1]


@cache
def _embedder() -> Embedder | None:
    """One for the process, whatever corpus it has open: a model is loaded once."""
    return make_embedder(settings.EMBEDDINGS)


def _version(manifest: Path) -> tuple[int, int] | None:
    """What changes when the file is replaced; ``None`` where there is none."""
    try:
        status = manifest.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_mtime_ns


def manifest_summary() -> dict[str, Any] | None:
    """Date range, number of documents and whether it is the sample; ``None`` without a corpus."""
    try:
        manifest = corpus().manifest
    except CorpusUnavailable as error:
        logger.warning("%s", error)
        return None
    return {
        "date_min": manifest.date_min,
        "date_max": manifest.date_max,
        "documents": manifest.documents,
        "sample": manifest.sample,
    }
