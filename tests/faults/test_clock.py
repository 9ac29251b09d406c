"""Somebody sets the clock of a machine that works (libfaketime): back by a minute, forward by an hour."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.waiting import wait_for

pytestmark = [pytest.mark.faults, pytest.mark.processes]

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
MENDED = Path(__file__).parent / "clock"


class Clock:
    """What the processes that have its ``environment`` read as the time of day."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.set("+0")
        assert LIBRARIES, "libfaketime is missing (Debian: apt install faketime)"
        self.environment = {
            "LD_PRELOAD": str(LIBRARIES[-1]),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            # Seconds between looks at the file; each look costs as much as a hundred of the time.
            "FAKETIME_CACHE_DURATION": "1",
            # A clock that is set moves nothing else: what measures time without it goes on.
            "DONT_FAKE_MONOTONIC": "1",
            "PYTHONPATH": str(MENDED),
            # Each look at the clock costs so much that a busy machine misses shorter ones.
            "DOFPILOT_LEASE_SECONDS": "8",
        }

    def set(self, shift: str) -> None:
        self._file.write_text(shift)


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    return Clock(tmp_path / "clock")


@pytest.mark.parametrize("shift", ["-60s", "+1h"])
def test_a_run_goes_on_and_no_time_is_negative(make_scene, provider, clock, shift):
    scene = make_scene(**clock.environment)
    provider.hold(2)
    working, waiting = scene.ask(0), scene.ask(1)
    scene.follow(working)
    scene.wait_for_turn(working, 2)
    clock.set(shift)
    # More than a lease with the new time, in which a live run must not be taken for a dead one.
    threading.Event().wait(10)
    provider.release()
    for asked in (working, waiting):
        scene.wait(asked, "succeeded")
        timing = scene.shown(asked)["result"]["timing"]
        assert all(milliseconds >= 0 for milliseconds in timing.values()), timing
    scene.check()


def test_a_worker_that_dies_is_missed_before_the_old_time_comes_round_again(make_scene, provider, clock):
    scene = make_scene(workers=2, **clock.environment)
    provider.hold(1)
    asked = scene.ask()
    scene.wait_for_turn(asked, 1)
    [(holder,)] = scene.fleet.database.rows("SELECT worker FROM runs_claim")
    (of_holder,) = [part for part in scene.fleet.workers if holder.endswith(part.folder.name)]
    clock.set("-60s")
    of_holder.kill()
    wait_for(lambda: scene.state(asked) == "failed", 30)
    assert scene.failure(asked) == "interrupted"
    provider.release()
    of_holder.start()
    scene.check()
