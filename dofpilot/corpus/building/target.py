"""The place where a corpus is built, and how the new one takes it."""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import suppress
from itertools import count
from pathlib import Path

from pydantic import BaseModel, ValidationError

from dofpilot.corpus.building.exchange import replace_directory
from dofpilot.corpus.building.report import REPORT
from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.files import LEXICAL, STORE, VECTORS
from dofpilot.corpus.manifest import MANIFEST

_PARTS = {MANIFEST, REPORT, f".{REPORT}.new", STORE, LEXICAL, VECTORS}
"""All that a build, or the commands that add to a corpus, ever put in one."""


class _AnyManifest(BaseModel):
    """What a manifest of any format has."""

    format: int
    version: str
    fingerprint: str


def check_target(target: Path, source: Path) -> None:
    """Raise ``BuildError`` where a corpus of that tree cannot stand."""
    if target.is_relative_to(source) or source.is_relative_to(target):
        raise BuildError(f"«{target}» y «{source}» están uno dentro del otro; el acervo va en otra carpeta")
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not (target / STORE).is_file() or not _reads_as_manifest(target / MANIFEST):
        raise BuildError(f"«{target}» existe y no es un acervo; no se reemplaza")
    if strange := sorted(entry.name for entry in target.iterdir() if entry.name not in _PARTS):
        raise BuildError(
            f"«{target}» tiene algo que no es del acervo, «{strange[0]}», y se perdería; no se reemplaza"
        )


def _reads_as_manifest(file: Path) -> bool:
    try:
        _AnyManifest.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return False
    return True


def sync(directory: Path) -> None:
    """All that is in a directory is on the disk afterwards."""
    for path in [*directory.rglob("*"), directory]:
        _sync_one(path)


def publish(workshop: Path, target: Path) -> Path | None:
    """Put the new corpus in the place of the old one in one step, and delete that.

    Return where the old one is if it could not be deleted: by then the new one is there, and nothing that
    happens to the old one is a failure of the build.
    """
    old = _claim_old(target)
    try:
        displaced = replace_directory(workshop, target)
        with suppress(OSError):
            _sync_one(target.parent)
        return _left(displaced, target) if displaced else None
    finally:
        if old is not None:
            os.close(old)


def _left(displaced: Path, target: Path) -> Path | None:
    """What is left of the old corpus after deleting it, out of the way of the next build."""
    try:
        shutil.rmtree(displaced)
    except (OSError, KeyboardInterrupt):
        with suppress(OSError):
            return displaced.rename(_free_name(target))
        return displaced
    return None


def _free_name(target: Path) -> Path:
    names = (target.with_name(f".{target.name}.old-{number}") for number in count(1))
    return next(name for name in names if not os.path.lexists(name))


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
