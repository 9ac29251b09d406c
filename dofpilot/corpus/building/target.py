"""The place where a corpus is built, and how the new one takes it."""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path

from dofpilot.corpus.building.exchange import replace_directory
from dofpilot.corpus.building.storing import STORE
from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.manifest import MANIFEST


def check_target(target: Path, source: Path) -> None:
    """Raise ``BuildError`` where a corpus of that tree cannot stand."""
    if target.is_relative_to(source) or source.is_relative_to(target):
        raise BuildError(f"«{target}» y «{source}» están uno dentro del otro; el acervo va en otra carpeta")
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not ((target / MANIFEST).is_file() and (target / STORE).is_file()):
        raise BuildError(f"«{target}» existe y no es un acervo; no se reemplaza")


def sync(directory: Path) -> None:
    """All that is in a directory is on the disk afterwards."""
    for path in [*directory.rglob("*"), directory]:
        _sync_one(path)


def publish(workshop: Path, target: Path) -> None:
    """Put the new corpus in the place of the old one in one step, and delete that."""
    old = _claim_old(target)
    try:
        displaced = replace_directory(workshop, target)
        _sync_one(target.parent)
        if displaced:
            shutil.rmtree(displaced)
    finally:
        if old is not None:
            os.close(old)


def _claim_old(target: Path) -> int | None:
    """Where the workshop was, the old corpus stands until it is deleted: no build may take it for its own."""
    with suppress(OSError):
        handle = os.open(target, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return handle
    return None


def _sync_one(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
