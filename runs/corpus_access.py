"""The corpus that this process has open, and its replacement when a new one takes its place."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.files import VECTORS
from dofpilot.corpus.manifest import MANIFEST
from dofpilot.corpus.vectors.choosing import make_embedder
from dofpilot.corpus.vectors.embedding import Embedder

logger = logging.getLogger(__name__)

VECTORS_SECONDS = 600.0
"""Between two openings for the sake of new vectors alone: embed_corpus replaces them every minute."""
RETRY_SECONDS = 60.0
"""Before what could not be opened is tried again unchanged: memory may have been short."""

_clock = time.monotonic
_Version = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class _State:
    """What stands at a path: another one as soon as a manifest there is replaced or gone."""

    path: Path
    corpus: _Version
    vectors: _Version

    @classmethod
    def at(cls, path: Path) -> _State:
        return cls(path, _version(path / MANIFEST), _version(path / VECTORS / MANIFEST))


@dataclass(frozen=True, slots=True)
class _Served:
    """``followed_at``: when it was last opened again for its vectors alone, if ever."""

    state: _State
    corpus: Corpus
    followed_at: float | None = None


class _Access:
    """Only the first corpus is waited for by all: later ones are opened by whoever notices them first."""

    def __init__(self) -> None:
        self._opening = threading.Lock()
        # Both are replaced whole, and only under the lock, so that anybody may look at them without it.
        self._served: _Served | None = None
        self._refused: tuple[_State, float] | None = None

    @property
    def is_current(self) -> bool:
        """Whether what is served is what stands in its place."""
        return self._refused is None

    def corpus(self, path: Path) -> Corpus:
        state, served = _State.at(path), self._served
        if served is None or served.state.path != path:
            return self._first(path).corpus
        if self._is_due(state, served) and self._opening.acquire(blocking=False):
            try:
                return self._follow(state, self._served or served).corpus
            finally:
                self._opening.release()
        return served.corpus

    def _first(self, path: Path) -> _Served:
        with self._opening:
            if self._served is None or self._served.state.path != path:
                state = _State.at(path)
                self._served, self._refused = _Served(state, _opened(path)), None
            return self._served

    def _is_due(self, state: _State, served: _Served) -> bool:
        if state == served.state:
            # A corpus that was away and is back.
            return self._refused is not None
        if self._refused and self._refused[0] == state and _clock() < self._refused[1] + RETRY_SECONDS:
            return False
        if state.corpus != served.state.corpus or served.followed_at is None:
            return True
        return _clock() >= served.followed_at + VECTORS_SECONDS

    def _follow(self, state: _State, served: _Served) -> _Served:
        """Open what stands there now beside what is served; keep that where it cannot be opened."""
        if state == served.state:
            self._refused = None
            return served
        try:
            opened = _opened(state.path)
        except CorpusUnavailable as error:
            if self._refused is None or self._refused[0] != state:
                logger.error("%s. Este proceso sigue con el acervo que tenía abierto", error)
            self._refused = (state, _clock())
            return served
        only_vectors = state.corpus == served.state.corpus
        followed_at = _clock() if only_vectors else served.followed_at
        self._served, self._refused = _Served(state, opened, followed_at), None
        return self._served


_access = _Access()


def corpus() -> Corpus:
    """The corpus at ``DOFPILOT_CORPUS``. Raises ``CorpusUnavailable``, which names the setting.

    A rebuilt corpus is a new directory with a new manifest, and vectors that were added have a new one too,
    so both are noticed here. The old corpus is left to whoever still reads from it and closed by its last
    reader. It goes on being served while the new one is opened, and for as long as that cannot be opened:
    the log says so, and ``manifest_summary``. Only a process that has no corpus open has none to give.
    """
    return _access.corpus(Path(settings.CORPUS))


def _opened(path: Path) -> Corpus:
    try:
        return Corpus.open(path, _embedder())
    except (OSError, CorpusUnavailable) as error:
        raise CorpusUnavailable(f"DOFPILOT_CORPUS ({path}): {error}") from error


@cache
def _embedder() -> Embedder | None:
    """One for the process, whatever corpus it has open: a model is loaded once."""
    return make_embedder(settings.EMBEDDINGS)


def _version(manifest: Path) -> _Version:
    """What changes when the file is replaced; ``None`` where there is none to be seen."""
    try:
        status = manifest.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def manifest_summary() -> dict[str, Any] | None:
    """Date range, number of documents and whether it is the sample; ``None`` without a corpus.

    ``current`` is false while what stands at ``DOFPILOT_CORPUS`` cannot be opened and this process goes on
    with the corpus that it had.
    """
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
        "current": _access.is_current,
    }


def default_cutoff() -> date:
    """Of a question that names none: the corpus's last day, so that it is the same run however it is asked;
    today without a corpus."""
    summary = manifest_summary()
    return (summary and summary["date_max"]) or timezone.localdate()
