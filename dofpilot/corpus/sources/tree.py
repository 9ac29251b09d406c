"""Walk a source tree in a fixed order, and read its files with a limit."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.sources.documents import BadFile

LARGEST_FILE = 64 * 1024 * 1024


class Kind(Enum):
    """What an entry is; but for ``FILE``, the value is why it is no document."""

    FILE = "es un archivo"
    LINK = "es un enlace, y los enlaces no se siguen"
    FOLDER_LINK = "es un enlace a una carpeta, y los enlaces no se siguen"
    FOLDER = "es una carpeta con nombre de documento"
    OTHER = "no es un archivo regular"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """``path`` is relative to the tree with ``/`` between its parts; ``size`` in bytes."""

    path: str
    location: Path
    size: int
    kind: Kind

    @property
    def is_candidate(self) -> bool:
        """Whether it is a document or somebody will miss one: a linked folder may hold a whole year."""
        return self.kind == Kind.FOLDER_LINK or _is_markdown(self.path)


def walk(tree: Path) -> Iterator[SourceFile]:
    """Every file under ``tree``, sorted folder by folder; no link is followed.

    Folders that are links or named like a document come along, so that they can be refused by name.
    Raises ``BuildError`` for a folder that cannot be listed: nobody would miss what it holds.
    """
    for folder, names, files in os.walk(tree, onerror=_refuse):
        names.sort()
        for name in names:
            if Path(folder, name).is_symlink():
                yield SourceFile(_relative(tree, folder, name), Path(folder, name), 0, Kind.FOLDER_LINK)
            elif _is_markdown(name):
                yield SourceFile(_relative(tree, folder, name), Path(folder, name), 0, Kind.FOLDER)
        for name in sorted(files):
            kind, size = _examine(Path(folder, name))
            yield SourceFile(_relative(tree, folder, name), Path(folder, name), size, kind)


def check_kind(file: SourceFile) -> None:
    """Raise ``BadFile`` for all but a regular file: opening a pipe would wait for its writer."""
    if file.kind != Kind.FILE:
        raise BadFile(file.kind.value)


def read(file: SourceFile) -> bytes:
    """Raise ``BadFile`` for what is too large or unreadable."""
    if file.size > LARGEST_FILE:
        raise BadFile(f"mide {file.size} bytes; el máximo es {LARGEST_FILE}")
    try:
        # It may have become a link or a pipe since it was listed.
        with open(file.location, "rb", opener=_open_unfollowed) as stream:
            return stream.read()
    except OSError as error:
        raise BadFile(f"no se puede leer: {error.strerror}") from error


def _refuse(error: OSError) -> None:
    raise BuildError(f"no se puede leer la carpeta «{error.filename}»: {error.strerror}") from error


def _relative(tree: Path, folder: str, name: str) -> str:
    # A name that is no UTF-8 must still fit in a report.
    path = Path(folder, name).relative_to(tree).as_posix()
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _examine(location: Path) -> tuple[Kind, int]:
    try:
        status = location.lstat()
    except OSError:
        return Kind.OTHER, 0  # gone since its folder was listed
    if stat.S_ISLNK(status.st_mode):
        return Kind.LINK, 0
    return (Kind.FILE if stat.S_ISREG(status.st_mode) else Kind.OTHER), status.st_size


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(".md")


def _open_unfollowed(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
