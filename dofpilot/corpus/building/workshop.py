"""The directory beside a corpus where the next one is built, and where an interrupted build goes on."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from dofpilot.corpus.building.exchange import put_aside
from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.manifest import MANIFEST

STATE = "workshop.json"


class Purpose(BaseModel):
    """What a workshop is for. Only a build with the same purpose may go on with it.

    ``base`` is the fingerprint of the corpus that is updated, empty for a whole build.
    """

    model_config = ConfigDict(frozen=True)

    source: str
    format: int
    chunker: str
    analysis: str
    base: str


class _State(BaseModel):
    purpose: Purpose
    began: float
    documents: int


class Workshop:
    """``path`` is this build's alone while it holds the claim.

    ``began``, in seconds since the epoch, is when the first of the builds that worked here began to read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.began = time.time()
        self._is_released = False

    def resumes(self, purpose: Purpose) -> bool:
        """Whether what is here was begun for that purpose."""
        state = _read_state(self.path)
        if state is None or state.purpose != purpose:
            return False
        self.began = state.began
        return True

    def clear(self) -> None:
        """What is here is of no use for this build."""
        self.began = time.time()
        with _deleting(self.path):
            for leftover in list(self.path.iterdir()):
                is_folder = leftover.is_dir() and not leftover.is_symlink()
                shutil.rmtree(leftover) if is_folder else leftover.unlink()

    def keep(self, purpose: Purpose, documents: int) -> None:
        """From now on what is here, so many documents, is worth going on with."""
        state = _State(purpose=purpose, began=self.began, documents=documents)
        (self.path / STATE).write_text(state.model_dump_json())

    def release(self) -> None:
        """What is here is a corpus now, about to be moved to its place, and nobody's to clear away."""
        (self.path / STATE).unlink(missing_ok=True)
        for lock in self.path.rglob("*.lock"):
            lock.unlink()
        self._is_released = True

    def leave(self) -> None:
        """Delete what nobody can go on with."""
        if not self._is_released and not (self.path / STATE).exists():
            shutil.rmtree(self.path, ignore_errors=True)


def saved_documents(out: Path) -> int:
    """How many documents an interrupted build of that corpus left for the next one to go on with."""
    state = _read_state(_place_for(out.resolve()))
    return state.documents if state else 0


def _place_for(target: Path) -> Path:
    return target.with_name(f".{target.name}.building")


def _read_state(folder: Path) -> _State | None:
    try:
        return _State.model_validate_json((folder / STATE).read_bytes())
    except (OSError, ValidationError):
        return None


@contextmanager
def claimed(target: Path) -> Iterator[Workshop]:
    """The workshop of a corpus; afterwards it is gone unless there is something to go on with.

    A corpus that a build which was killed had put aside, or was about to put in its place, is there again.
    Raises ``BuildError`` while another build has it.
    """
    path = _place_for(target)
    with _held(path, target):
        _recover(path, target)
    # Once more: a workshop that was finished is the corpus now.
    with _held(path, target):
        workshop = Workshop(path)
        try:
            yield workshop
        finally:
            workshop.leave()


@contextmanager
def _held(path: Path, target: Path) -> Iterator[None]:
    path.mkdir(parents=True, exist_ok=True)
    # What is there may be a link, and a build clears its workshop.
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _claim(handle, target)
        yield
    finally:
        os.close(handle)


def _recover(path: Path, target: Path) -> None:
    """Finish what was interrupted where a corpus takes another's place in two steps."""
    old = put_aside(path)
    is_finished = (path / MANIFEST).is_file() and not (path / STATE).exists()
    if not target.exists() and is_finished:
        path.rename(target)
    if old.is_dir() and not old.is_symlink():
        with _deleting(old):
            old.rename(target) if not target.exists() else shutil.rmtree(old)


@contextmanager
def _deleting(folder: Path) -> Iterator[None]:
    """Name what stands in the way: it is hidden, and no part of the corpus that was asked for."""
    try:
        yield
    except OSError as error:
        raise BuildError(
            f"no se puede borrar «{folder}», que dejó una construcción anterior ({error.strerror}): "
            "bórrala y repite la orden"
        ) from error


def _claim(handle: int, target: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BuildError(f"otra construcción de «{target}» está en curso") from None
