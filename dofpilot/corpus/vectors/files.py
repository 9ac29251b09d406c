"""The data files under ``vectors/``, opened for adding rows: by one process at a time, whole rows only."""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path

import numpy as np

from dofpilot.corpus.errors import BuildError
from dofpilot.corpus.vectors.rows import OWNER, Codes, Owners, Rows, owners_file, vectors_file

_NAME = re.compile(r"(?:(?P<data>vectors|rows)-|index-)(?P<generation>[0-9]+)[-.].+")


class DataFiles:
    """One generation's pair of files. Errors of the disk are ``OSError``."""

    def __init__(self, home: Path, generation: int, dimension: int) -> None:
        """Open or make the pair; raise ``BuildError`` while another process adds to it."""
        self.generation = generation
        self._home, self._dimension = home, dimension
        mode = os.O_RDWR | os.O_CREAT | os.O_APPEND
        self._codes = os.open(home / vectors_file(generation), mode, 0o644)
        self._owners = os.open(home / owners_file(generation), mode, 0o644)
        try:
            # The lock is on the file and not on its directory: a corpus that was built meanwhile has a
            # directory of its own with a link to this very file.
            fcntl.flock(self._codes, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise BuildError(f"otro embed_corpus está escribiendo en «{home}»") from None

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
        owners = np.memmap(self._home / owners_file(self.generation), OWNER, "r", shape=(count,))
        shape = (count, self._dimension)
        return Rows(owners, np.memmap(self._home / vectors_file(self.generation), np.int8, "r", shape=shape))

    def is_linked_in(self, home: Path) -> bool:
        """Whether the same file stands in another directory under the same name."""
        try:
            return os.path.samestat((home / vectors_file(self.generation)).stat(), os.fstat(self._codes))
        except OSError:
            return False


def last_generation(home: Path) -> int:
    """The highest generation that has files, 1 when none has."""
    return max(
        (int(found["generation"]) for name in _names(home) if (found := _NAME.fullmatch(name))), default=1
    )


def remove_others(home: Path, generation: int, graph: str | None) -> None:
    """Delete the files that the manifest does not name. Readers keep what they have open."""
    for name in _names(home):
        found = _NAME.fullmatch(name)
        if found and name != graph and not (found["data"] and int(found["generation"]) == generation):
            (home / name).unlink(missing_ok=True)


def _names(home: Path) -> list[str]:
    return [entry.name for entry in home.iterdir()]


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]
