"""Walk a source tree in a fixed order, keep what was found small, and read its files with a limit."""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from dofpilot.corpus.errors import BadFile, BuildError

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
    """``folder`` is relative to ``tree``; ``size`` in bytes, ``modified`` in seconds since the epoch."""

    tree: str
    folder: str
    name: str
    size: int
    kind: Kind
    modified: float = 0

    @property
    def path(self) -> str:
        """Relative to the tree, with ``/`` between its parts."""
        # A name that is no UTF-8 must still fit in a report.
        return os.fsencode(os.path.join(self.folder, self.name)).decode("utf-8", "backslashreplace")  # noqa: PTH118

    @property
    def location(self) -> str:
        return os.path.join(self.tree, self.folder, self.name)  # noqa: PTH118

    @property
    def is_candidate(self) -> bool:
        """Whether it is a document or somebody will miss one: a linked folder may hold a whole year."""
        return self.kind == Kind.FOLDER_LINK or _is_markdown(self.name)


class Listing:
    """Files of one tree in the order they were found, in some forty bytes each: a tree may have a million."""

    def __init__(self, tree: Path) -> None:
        self._tree = str(tree)
        self._folders: list[_Folder] = []
        self.size = 0

    def __len__(self) -> int:
        return sum(len(folder.sizes) for folder in self._folders)

    def __iter__(self) -> Iterator[SourceFile]:
        for folder in self._folders:
            names = bytes(folder.names).removesuffix(b"/").split(b"/")
            for name, size, kind in zip(names, folder.sizes, folder.kinds, strict=True):
                yield SourceFile(self._tree, folder.path, os.fsdecode(name), size, _KINDS[kind])

    def add(self, file: SourceFile) -> None:
        if not self._folders or self._folders[-1].path != file.folder:
            self._folders.append(_Folder(file.folder, bytearray(), array("q"), bytearray()))
        folder = self._folders[-1]
        folder.names += os.fsencode(file.name) + b"/"
        folder.sizes.append(file.size)
        folder.kinds.append(_KINDS.index(file.kind))
        self.size += file.size


_KINDS = list(Kind)


@dataclass(slots=True)
class _Folder:
    """``names`` each end with the one character that no name can hold."""

    path: str
    names: bytearray
    sizes: array[int]
    kinds: bytearray


def walk(tree: Path) -> Iterator[SourceFile]:
    """Every file under ``tree``, sorted folder by folder; no link is followed.

    Folders that are links or named like a document come along, so that they can be refused by name.
    Raises ``BuildError`` for a folder that cannot be listed: nobody would miss what it holds.
    """
    for location, names, files in os.walk(tree, onerror=_refuse):
        names.sort()
        folder = os.path.relpath(location, tree)
        folder = "" if folder == "." else folder
        for name in names:
            if Path(location, name).is_symlink():
                yield SourceFile(str(tree), folder, name, 0, Kind.FOLDER_LINK)
            elif _is_markdown(name):
                yield SourceFile(str(tree), folder, name, 0, Kind.FOLDER)
        for name in sorted(files):
            yield SourceFile(str(tree), folder, name, *_examine(os.path.join(location, name)))  # noqa: PTH118


def check_kind(file: SourceFile) -> None:
    """Raise ``BadFile`` for all but a regular file: opening a pipe would wait for its writer."""
    if file.kind != Kind.FILE:
        raise BadFile(file.kind.value)


def read(file: SourceFile) -> bytes:
    """Raise ``BadFile`` for what is too large, unreadable or no longer what was listed."""
    if file.size > LARGEST_FILE:
        raise BadFile(f"mide {file.size} bytes; el máximo es {LARGEST_FILE}")
    content = read_piece(file, 0, file.size + 1)
    if len(content) != file.size:
        # Whoever writes it has not finished, and half of a document is worse than none.
        raise BadFile(f"cambió de tamaño mientras se construía: medía {file.size} bytes")
    return content


def read_piece(file: SourceFile, start: int, size: int) -> bytes:
    """At most ``size`` bytes from byte ``start`` on; raise ``BadFile`` for what is unreadable."""
    try:
        # It may have become a link or a pipe since it was listed.
        with open(file.location, "rb", opener=_open_unfollowed) as stream:
            if start:
                stream.seek(start)
            return stream.read(size)
    except OSError as error:
        raise BadFile(f"no se puede leer: {error.strerror}") from error


def _refuse(error: OSError) -> None:
    raise BuildError(f"no se puede leer la carpeta «{error.filename}»: {error.strerror}") from error


def _examine(location: str) -> tuple[int, Kind, float]:
    try:
        status = os.lstat(location)
    except OSError:
        return 0, Kind.OTHER, 0  # gone since its folder was listed
    if stat.S_ISLNK(status.st_mode):
        return 0, Kind.LINK, 0
    kind = Kind.FILE if stat.S_ISREG(status.st_mode) else Kind.OTHER
    return status.st_size, kind, status.st_mtime


def _is_markdown(name: str) -> bool:
    return name.lower().endswith(".md")


def _open_unfollowed(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
