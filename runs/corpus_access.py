"""The corpus that this process has open, and its replacement when a new one takes its place."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

from django.conf import settings

from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable

logger = logging.getLogger(__name__)

_lock = threading.Lock()
_open: tuple[tuple[Path, int, int], Corpus] | None = None


def corpus() -> Corpus:
    """The corpus at ``DOFPILOT_CORPUS``. Raises ``CorpusUnavailable``, which names the setting.

    A rebuilt corpus is a new directory with a new manifest, so it is noticed here. The old one is left
    to whoever still reads from it and closed by its last reader.
    """
    global _open
    path = Path(settings.CORPUS)
    with _lock:
        try:
            status = (path / "manifest.json").stat()
            identity = (path, status.st_ino, status.st_mtime_ns)
            if _open is None or _open[0] != identity:
                _open = (identity, Corpus.open(path))
        except (OSError, CorpusUnavailable) as error:
            _open = None
            raise CorpusUnavailable(f"DOFPILOT_CORPUS ({path}): {error}") from error
        return _open[1]


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
