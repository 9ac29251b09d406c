"""The loop around the cluster: it waits for nothing but signals, and never hurries one that crashes."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest
from django.db import OperationalError

from runs.work import supervisor
from runs.work.errands import Duty, Errand
from runs.work.supervisor import LONGEST_PAUSE, RESTART_PAUSE, machine_name
from tests.fleet import Fleet, Part
from tests.waiting import wait_for


class Stop:
    """Asked for after so many pauses; the pauses made."""

    def __init__(self, after: int) -> None:
        self.pauses: list[float] = []
        self._after = after

    @property
    def asked(self) -> bool:
        return len(self.pauses) >= self._after

    def wait(self, seconds: float) -> bool:
        if seconds != supervisor.LOOK_SECONDS:
            self.pauses.append(seconds)
        return self.asked


class Dead:
    """A cluster that ended as soon as it began."""

    begun = 0

    def __init__(self, *_: object) -> None:
        type(self).begun += 1

    def exit_code(self) -> int:
        return 1

    def kill(self) -> None:
        """Nothing is left of it."""


class Upkeep:
    """Of a database that is there."""

    is_wedged = False

    def __init__(self, _worker: str) -> None:
        self.called: list[str] = []

    def recover(self) -> None:
        self.called.append("recover")

    def sweep(self) -> None:
        self.called.append("sweep")

    def leave(self) -> None:
        self.called.append("leave")


@pytest.fixture
def _without_a_database(monkeypatch):
    monkeypatch.setattr(supervisor, "Upkeep", Upkeep)
    monkeypatch.setattr(supervisor, "Group", type("Group", (Dead,), {"begun": 0}))


@pytest.mark.usefixtures("_without_a_database")
def test_a_cluster_that_crashes_again_and_again_is_started_ever_more_slowly(caplog):
    stop = Stop(after=8)
    working = supervisor._Supervisor("aquí", stop)
    working.run()
    assert stop.pauses == [RESTART_PAUSE, 2, 4, 8, 16, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
    assert supervisor.Group.begun == 8
    assert "the cluster ended (code 1)" in caplog.text
    assert f"another starts in {LONGEST_PAUSE:.0f} s" in caplog.text
    assert working._upkeep.called == ["recover"] * 8 + ["leave"]


@pytest.mark.usefixtures("_without_a_database")
def test_one_that_worked_for_long_is_replaced_at_once(monkeypatch):
    stop = Stop(after=4)
    now = iter(range(0, 10_000, 100))
    monkeypatch.setattr(supervisor, "monotonic", lambda: float(next(now)))
    supervisor._Supervisor("aquí", stop).run()
    assert stop.pauses == [RESTART_PAUSE] * 4


@pytest.mark.usefixtures("_without_a_database")
def test_no_cluster_starts_before_what_was_left_is_ended(monkeypatch):
    stop = Stop(after=3)

    def away(_self):
        raise OperationalError("database is locked")

    monkeypatch.setattr(Upkeep, "recover", away)
    supervisor._Supervisor("aquí", stop).run()
    assert supervisor.Group.begun == 0
    assert stop.pauses == [RESTART_PAUSE] * 3


def test_a_worker_has_one_name_for_its_folder_which_fits_into_a_column(settings):
    settings.DATA_DIR = Path("/datos")
    first = machine_name()
    assert first.endswith(":/datos")
    assert machine_name() == first
    settings.DATA_DIR = Path("/" + "largo/" * 60 + "datos")
    assert len(machine_name()) <= 200
    assert machine_name().endswith("largo/datos")


def test_an_errand_waits_for_nobody_and_tells_whether_it_came_through(caplog):
    go = threading.Event()
    waiting = Errand(go.wait)
    assert not waiting.is_done()
    assert not waiting.succeeded
    go.set()
    waiting.wait(10)
    assert waiting.succeeded

    def sweep():
        raise OperationalError("database is locked")

    def probe():
        raise ZeroDivisionError("un error nuestro")

    for failing, told in ((sweep, "sweep: database is locked"), (probe, "un error nuestro")):
        failed = Errand(failing)
        failed.wait(10)
        assert failed.is_done()
        assert not failed.succeeded
        assert told in caplog.text


def test_a_duty_that_takes_long_is_not_begun_a_second_time():
    go, begun = threading.Event(), []

    def slow():
        begun.append(1)
        go.wait()

    duty = Duty(slow, 0)
    for _ in range(10):
        duty.see_to_it()
    wait_for(lambda: begun)
    assert begun == [1]
    go.set()
    wait_for(lambda: duty.see_to_it() or len(begun) > 1)


@pytest.fixture
def worker(make_fleet) -> Part:
    """A supervisor alone, at work."""
    fleet: Fleet = make_fleet(web=0, workers=1)
    part = fleet.start().workers[0]
    part.fleet = fleet
    wait_for(lambda: fleet.database.rows("SELECT name FROM runs_worker"))
    return part


@pytest.mark.processes
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_locked_database_does_not_delay_the_stop(worker, number):
    with worker.fleet.database.locked():
        worker.signal(number)
        assert worker.wait(10) == 0
    wait_for(lambda: not worker.pids())


@pytest.mark.processes
def test_it_can_be_stopped_while_it_starts_with_the_database_locked(make_fleet):
    fleet = make_fleet(web=0, workers=1)
    part = fleet.workers[0]
    with fleet.database.locked():
        part.start()
        # It holds its folder, so it is told how to stop, and waits for the database.
        wait_for(lambda: (part.folder / "agentworker.lock").exists())
        part.signal(signal.SIGTERM)
        assert part.wait(10) == 0
    assert not part.pids()


@pytest.mark.processes
def test_whoever_stops_in_order_is_no_longer_shown_as_working(worker):
    worker.signal(signal.SIGTERM)
    assert worker.wait() == 0
    assert worker.fleet.database.rows("SELECT name FROM runs_worker") == []


@pytest.mark.processes
def test_a_worker_asleep_for_a_while_goes_on(worker):
    for pid in worker.pids():
        os.kill(pid, signal.SIGSTOP)
    (before,) = worker.fleet.database.rows("SELECT seen_at FROM runs_worker")
    for pid in worker.pids():
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: worker.fleet.database.rows("SELECT seen_at FROM runs_worker") != [before])
    assert worker.exit_code() is None
