"""Doubled submits while processes of the workers are killed at random: what was asked twice, what lost."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.benchmarks.fleets import scene
from tests.benchmarks.reporting_runs import Row
from tests.faults.scene import TERMINAL, Asked, Scene
from tests.waiting import wait_for

SUBMITS, KILLS, PEOPLE = 1000, 100, 20
LONGEST_PAUSE = 3.0
PATIENCE = 300


def measure(folder: Path, corpus: Path) -> list[Row]:
    """Each person asks one question after the other, each at both doors at once."""
    chosen = {"DOFPILOT_MODEL_CONCURRENCY": "2", "DOFPILOT_LEASE_SECONDS": "3"}
    with scene(folder / "kills", corpus, people=PEOPLE, web=2, workers=2, **chosen) as made:
        began = time.monotonic()
        done = threading.Event()
        with ThreadPoolExecutor(PEOPLE + 1) as pool:
            killed = pool.submit(_kill, made, done)
            people = [pool.submit(_ask_on, made, person) for person in range(PEOPLE)]
            for one in people:
                one.result()
            done.set()
            kills = killed.result()
        _start_all(made)
        with contextlib.suppress(AssertionError):
            wait_for(lambda: not _lost(made), PATIENCE, pause=0.5)
        seconds = time.monotonic() - began
        lost, states = _lost(made), made.states()
        answered = sum(states[asked.key][-1] == "succeeded" for asked in made.asked)
        twice = len(made.provider.twice())
    what = f"{len(made.asked)} doubled submits and {kills} kills in {seconds:.0f} s"
    return [
        (f"{what}: provider calls made twice", str(twice), "0"),
        (f"{what}: runs lost", str(len(lost)), "0"),
        (f"{what}: runs answered, the others interrupted", str(answered), ""),
    ]


def _lost(made: Scene) -> list[Asked]:
    """Those that were accepted and have not ended once."""
    states = made.states()
    return [
        asked for asked in made.asked if sum(state in TERMINAL for state in states.get(asked.key, [])) != 1
    ]


def _ask_on(made: Scene, person: int) -> None:
    for _ in range(SUBMITS // PEOPLE):
        number = made.next_number()
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(made.submit, [number] * 2, [person] * 2, range(2)))
        assert sorted(answer.status for answer in answers) == [200, 201], answers
        (run_id,) = {answer.body["run_id"] for answer in answers}
        asked = made.accept(number, run_id, person)
        # Seldom: on PostgreSQL each look is a new connection, and twenty people look. One that is lost is
        # counted at the end.
        with contextlib.suppress(AssertionError):
            wait_for(lambda asked=asked: made.state(asked) in TERMINAL, PATIENCE, pause=0.5)


def _kill(made: Scene, done: threading.Event) -> int:
    """Returns how many were killed."""
    chance = random.Random(1)
    for count in range(KILLS):
        if done.wait(chance.uniform(0, LONGEST_PAUSE)):
            return count
        _start_all(made)
        # Whoever is killed faster than it starts does nothing that could go wrong.
        living = wait_for(lambda: _clusters(made))
        # It may have ended since, with the one that was killed before.
        with contextlib.suppress(ProcessLookupError):
            os.kill(chance.choice(living), signal.SIGKILL)
    return KILLS


def _clusters(made: Scene) -> list[int]:
    """All processes of the workers, once each has more than its supervisor."""
    found = [part.pids() for part in made.fleet.workers]
    return [pid for pids in found for pid in pids] if all(len(pids) > 1 for pids in found) else []


def _start_all(made: Scene) -> None:
    for part in made.fleet.workers:
        if part.exit_code() is not None:
            wait_for(lambda part=part: not part.pids())
            part.start()
