"""How long a worker takes to be gone, with its provider hung and the queue full."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.fleets import scene
from tests.benchmarks.reporting_runs import Row
from tests.fleet import Part
from tests.waiting import wait_for

WAITING = 5
WAYS: dict[str, Callable[[Part], None]] = {
    "SIGTERM": lambda part: part.signal(signal.SIGTERM),
    "SIGINT": lambda part: part.signal(signal.SIGINT),
    "SIGTERM to the group": lambda part: os.killpg(part.pid, signal.SIGTERM),
    "kill -9 of the supervisor": lambda part: part.signal(signal.SIGKILL),
}


def measure(folder: Path, corpus: Path) -> list[Row]:
    return [
        (
            f"{way}, provider hung and {WAITING} waiting, to the last process gone",
            _stop(folder, corpus, way),
            "10 s",
        )
        for way in WAYS
    ]


def _stop(folder: Path, corpus: Path, way: str) -> str:
    with scene(folder / way.replace(" ", "-"), corpus, people=WAITING + 1) as made:
        made.provider.hold(1)
        asked = [made.ask(person) for person in range(WAITING + 1)]
        made.wait_for_turn(asked[0], 1)
        worker = made.fleet.workers[0]
        began = time.monotonic()
        WAYS[way](worker)
        worker.wait(30)
        wait_for(lambda: not worker.pids())
        return f"{time.monotonic() - began:.1f} s"
