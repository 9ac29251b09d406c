"""Walk a source tree in a fixed order, and read its files with a limit."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dofpilot.corpus.documents import BadFile
from dofpilot.corpus.errors import BuildError

LARGEST_FILE = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SourceFile:
    """``path`` is relative to the tree with ``/`` between its parts; ``size`` in bytes."""

    path: str
    location: Path
    size: int
    regular: bool

    @property
    def is_markdown(self) -> bool:
        return self.path.lower().endswith(".md")


def walk(tree: Path) -> Iterator[SourceFile]:
    """Every file under ``tree``, sorted folder by folder; links to folders are not followed.

    Raises ``BuildError`` for a folder that cannot be listed: nobody would miss what it holds.
    """
    for folder, names, files in os.walk(tree, onerror=_refuse):
        names.sort()
        for name in sorted(files):
            yield _source_file(tree, Path(folder, name))


def read(file: SourceFile) -> bytes:
    """Raise ``BadFile`` for what is too large, not a regular file, or unreadable."""
    if file.size > LARGEST_FILE:
        raise BadFile(f"mide {file.size} bytes; el máximo es {LARGEST_FILE}")
    if not file.regular:
        # Opening a pipe would wait for its writer.
        raise BadFile("no es un archivo regular")
    try:
        return file.location.read_bytes()
    except OSError as error:
        raise BadFile(f"no se puede leer: {error.strerror}") from error


def _refuse(error: OSError) -> None:
    raise BuildError(f"no se puede leer la carpeta «{error.filename}»: {error.strerror}") from error


def _source_file(tree: Path, location: Path) -> SourceFile:
    # A name that is no UTF-8 must still fit in a report.
    path = os.fsencode(location.relative_to(tree).as_posix()).decode("utf-8", "backslashreplace")
    try:
        status = location.stat()
    except OSError:
        return SourceFile(path, location, 0, regular=False)  # a link to nowhere
    return SourceFile(path, location, status.st_size, stat.S_ISREG(status.st_mode))
