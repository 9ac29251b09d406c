"""The data files under ``vectors/``, opened for adding rows: by one process at a time, whole rows only.

Directories are open descriptors here, and not names, under which another corpus may stand by now.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import re
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import numpy as np

from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.vectors.manifest import owners_file, vectors_file
from dofpilot.corpus.vectors.rows import OWNER, Codes, Owners, Rows

_NAME = re.compile(r"(?:vectors|rows|index)-(?P<generation>[0-9]+)[-.].+")


class DataFiles:
    """One generation's pair of files in ``directory``. Errors of the disk are ``OSError``."""

    def __init__(self, directory: int, generation: int, dimension: int) -> None:
        """Open or make the pair; raise ``BuildError`` while another process adds to it."""
        self.generation = generation
        self._dimension = dimension
        mode = os.O_RDWR | os.O_CREAT | os.O_APPEND
        self._codes = os.open(vectors_file(generation), mode, 0o644, dir_fd=directory)
        self._owners = os.open(owners_file(generation), mode, 0o644, dir_fd=directory)
        try:
            # The lock is on the file and not on its directory: a corpus that was built meanwhile has a
            # directory of its own with a link to this very file.
            fcntl.flock(self._codes, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise BuildError("otro embed_corpus está escribiendo los vectores de este acervo") from None

    def close(self) -> None:
        os.close(self._codes)
        os.close(self._owners)

    def __len__(self) -> int:
        """Rows that are in both files."""
        codes, owners = os.fstat(self._codes).st_size, os.fstat(self._owners).st_size
        return min(codes // self._dimension, owners // OWNER.itemsize)

    def append(self, owners: Owners, codes: Codes) -> None:
        _write(self._codes, np.ascontiguousarray(codes).tobytes())
        _write(self._owners, owners.tobytes())

    def cut(self, rows: int) -> None:
        """Forget what comes after the first ``rows`` rows."""
        os.ftruncate(self._codes, rows * self._dimension)
        os.ftruncate(self._owners, rows * OWNER.itemsize)

    def sync(self) -> None:
        os.fsync(self._codes)
        os.fsync(self._owners)

    def rows(self, count: int) -> Rows:
        """The first ``count`` rows, mapped."""
        if not count:
            return Rows(np.empty(0, OWNER), np.empty((0, self._dimension), np.int8))
        owners = _mapped(self._owners, count * OWNER.itemsize)
        codes = _mapped(self._codes, count * self._dimension)
        shape = (count, self._dimension)
        return Rows(np.frombuffer(owners, OWNER), np.frombuffer(codes, np.int8).reshape(shape))

    def is_linked_in(self, home: Path) -> bool:
        """Whether the same file stands in another directory under the same name."""
        try:
            return os.path.samestat((home / vectors_file(self.generation)).stat(), os.fstat(self._codes))
        except OSError:
            return False


def last_generation(directory: int) -> int:
    """The highest generation that has files, 1 when none has."""
    found = (_NAME.fullmatch(name) for name in os.listdir(directory))
    return max((int(name["generation"]) for name in found if name), default=1)


def remove_others(directory: int, named: Collection[str]) -> None:
    """Delete the files of vectors that the manifest does not name. Readers keep what they have open."""
    for name in os.listdir(directory):
        if _NAME.fullmatch(name) and name not in named:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=directory)


def _mapped(handle: int, size: int) -> mmap.mmap:
    return mmap.mmap(handle, size, prot=mmap.PROT_READ)


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]
