"""The processes of a worker, by what they do."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

from tests.fleet import Part
from tests.waiting import wait_for


class Role(IntEnum):
    """In the order in which django-q2 starts them; each but the first is a child of one before it."""

    MAIN = 0
    SENTINEL = 1
    WORKER = 2
    MONITOR = 3
    PUSHER = 4


def find(part: Part, role: Role) -> int:
    """The process id, as soon as the whole cluster is there."""
    return wait_for(lambda: _whole(part))[role]


def _whole(part: Part) -> list[int] | None:
    parents = _cluster(part)
    main = [pid for pid, parent in parents.items() if parent not in parents]
    sentinel = [pid for pid, parent in parents.items() if parent in main]
    workers = sorted(pid for pid, parent in parents.items() if parent in sentinel)
    found = [*main, *sentinel, *workers]
    return found if len(found) == len(Role) else None


def _cluster(part: Part) -> dict[int, int]:
    """Process -> parent."""
    found = {}
    for pid in part.pids():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        if b"qcluster" in line:
            found[pid] = int(re.search(r"^PPid:\s+(\d+)", status, re.MULTILINE)[1])
    return found
