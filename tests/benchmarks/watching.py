"""Run a command to its end and see how much time and memory all its processes took together."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

_PERIOD = 0.2
"""Seconds between two looks at the memory."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes. A page that n processes share counts 1/n in each; ``own`` is what no file stands behind."""

    whole: int = 0
    own: int = 0

    def __add__(self, other: Memory) -> Memory:
        return Memory(self.whole + other.whole, self.own + other.own)

    def highest(self, other: Memory) -> Memory:
        return Memory(max(self.whole, other.whole), max(self.own, other.own))


@dataclass(frozen=True, slots=True)
class Watched:
    """``peak`` holds the largest sums over all processes; ``cpu_seconds`` are those of all of them."""

    seconds: float
    cpu_seconds: float
    peak: Memory
    output: str


def watch(command: Sequence[str | Path], folder: Path) -> Watched:
    """Run ``command`` in ``folder``; raise ``CalledProcessError`` where it fails."""
    started, cpu = time.monotonic(), _children_cpu()
    peak = Memory()
    # A pipe would fill up, since nobody reads it before the end.
    with TemporaryFile("w+", encoding="utf-8") as written:
        with subprocess.Popen(command, cwd=folder, stdout=written) as process:
            try:
                while process.poll() is None:
                    peak = peak.highest(memory(process.pid))
                    time.sleep(_PERIOD)
            except BaseException:
                process.terminate()
                raise
        seconds = time.monotonic() - started
        written.seek(0)
        output = written.read()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command), output)
    return Watched(seconds, _children_cpu() - cpu, peak, output)


def memory(process_id: int) -> Memory:
    """Of a process and all its descendants; nothing for those that have ended."""
    total = Memory()
    try:
        fields = Path(f"/proc/{process_id}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
        sizes = {name: int(size.split()[0]) * 1024 for name, size in (field.split(":") for field in fields)}
        total = Memory(sizes["Pss"], sizes["Pss_Anon"])
        tasks = list(Path(f"/proc/{process_id}/task").iterdir())
        children = [child for task in tasks for child in (task / "children").read_text().split()]
    except (OSError, ValueError):
        return total
    return sum(map(memory, map(int, children)), total)


def _children_cpu() -> float:
    times = os.times()
    return times.children_user + times.children_system
