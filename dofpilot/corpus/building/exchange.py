"""Put one directory in the place of another, so that no reader ever sees neither or half of one."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def replace_directory(new: Path, target: Path) -> Path | None:
    """Move ``new`` to ``target``; return where what stood there is now, for the caller to delete."""
    if not target.exists():
        new.rename(target)
        return None
    if _exchange(new, target):
        return new
    # No exchange on this system: for an instant the target is away, but never half there.
    old = put_aside(new)
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
    return old


def put_aside(new: Path) -> Path:
    """Where the old directory waits while ``new`` takes its place in two steps."""
    return new.with_name(f"{new.name}.old")


def _exchange(one: Path, other: Path) -> bool:
    """Swap two paths in one step where the kernel can (Linux 3.15 and a file system that agrees)."""
    renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if renameat2 is None:
        return False
    paths = os.fsencode(one), os.fsencode(other)
    return bool(renameat2(_AT_FDCWD, paths[0], _AT_FDCWD, paths[1], _RENAME_EXCHANGE) == 0)
