"""Silent workers are found by how long nothing changes, not by what any clock shows."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from dofpilot.agent.errors import FailureCode
from runs import lifecycle
from runs.models import Claim, State
from runs.work import silence
from runs.work.silence import Silence, Unchanged, sweep_seconds
from tests.cast import asker, waiting_run

pytestmark = pytest.mark.django_db

LEASE = 30.0
PERIOD = 5.0


class Clock:
    """Goes on by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(settings) -> Clock:
    settings.LEASE_SECONDS = LEASE
    return Clock()


def sweeps(observer: Silence, clock: Clock, seconds: float, between=lambda: None) -> int:
    """Look every ``PERIOD``; how many runs ended."""
    ended = observer.end()
    for _ in range(round(seconds / PERIOD)):
        clock.now += PERIOD
        between()
        ended += observer.end()
    return ended


def taken(name: str = "ana") -> lifecycle.Lease:
    return lifecycle.claim(waiting_run(asker(name)), "w")


def last_state(lease: lifecycle.Lease) -> str:
    return lease.run.transitions.order_by("sequence").last().state


def test_a_run_ends_once_its_worker_has_been_silent_for_a_lease_and_not_before(clock):
    lease, observer = taken(), Silence(clock)
    assert sweeps(observer, clock, LEASE - PERIOD) == 0
    clock.now += PERIOD
    assert observer.end() == 1
    assert lease.run.transitions.last().failure == FailureCode.INTERRUPTED
    assert observer.end() == 0


@pytest.mark.parametrize("shift", [timedelta(days=-1), timedelta(seconds=-60), timedelta(days=1)])
def test_a_worker_that_beats_keeps_its_run_whatever_its_clock_shows(clock, monkeypatch, shift):
    lease, observer = taken(), Silence(clock)
    real = timezone.now
    monkeypatch.setattr(lifecycle.timezone, "now", lambda: real() + shift)
    assert sweeps(observer, clock, 4 * LEASE, lambda: lifecycle.beat(lease)) == 0
    assert last_state(lease) == State.STARTED


@pytest.mark.parametrize("shift", [timedelta(days=-1), timedelta(days=1)])
def test_a_dead_one_loses_it_whatever_its_clock_showed(clock, shift):
    lease, observer = taken(), Silence(clock)
    Claim.objects.update(heartbeat_at=timezone.now() + shift)
    assert sweeps(observer, clock, LEASE - PERIOD) == 0
    assert sweeps(observer, clock, PERIOD) == 1
    assert last_state(lease) == State.FAILED


def test_a_beat_between_the_last_look_and_the_end_keeps_the_run(clock, monkeypatch):
    lease, observer = taken(), Silence(clock)
    sweeps(observer, clock, LEASE - PERIOD)
    interrupt = lifecycle.interrupt_silent

    def after_a_beat(silent):
        lifecycle.beat(lease)
        return interrupt(silent)

    monkeypatch.setattr(lifecycle, "interrupt_silent", after_a_beat)
    clock.now += PERIOD
    assert observer.end() == 0
    assert last_state(lease) == State.STARTED


def test_an_observer_that_slept_counts_anew(clock):
    lease, observer = taken(), Silence(clock)
    sweeps(observer, clock, LEASE - PERIOD)
    clock.now += 4 * PERIOD
    assert sweeps(observer, clock, LEASE - PERIOD) == 0
    assert last_state(lease) == State.STARTED
    assert sweeps(observer, clock, PERIOD) == 1


def test_a_look_that_failed_counts_anew(clock, monkeypatch):
    lease, observer = taken(), Silence(clock)
    sweeps(observer, clock, LEASE - PERIOD)

    def away():
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr(observer._beats, "_read", away)
        with pytest.raises(OperationalError):
            observer.end()
    assert sweeps(observer, clock, LEASE - PERIOD) == 0
    assert last_state(lease) == State.STARTED
    assert sweeps(observer, clock, PERIOD) == 1


def test_a_waiting_run_is_never_silent(clock):
    waiting_run(asker())
    assert sweeps(Silence(clock), clock, 4 * LEASE) == 0


def test_a_run_taken_later_has_a_lease_of_its_own(clock):
    observer = Silence(clock)
    taken("ana")
    sweeps(observer, clock, LEASE - PERIOD)
    later = taken("beto")
    assert sweeps(observer, clock, PERIOD) == 1
    assert last_state(later) == State.STARTED


def test_three_sweeps_fit_into_half_a_lease_of_any_length(settings):
    for lease in (2, 4, 30, 600):
        settings.LEASE_SECONDS = lease
        assert 3 * sweep_seconds() <= lease / 2
        assert sweep_seconds() <= silence.SWEEP_SECONDS


def test_what_goes_and_comes_back_begins_anew(clock):
    there = ["a"]
    watched = Unchanged(lambda: list(there), clock)
    assert watched.look() == {"a": 0}
    clock.now += PERIOD
    assert watched.look() == {"a": PERIOD}
    there.clear()
    clock.now += PERIOD
    assert watched.look() == {}
    there.append("a")
    clock.now += PERIOD
    assert watched.look() == {"a": 0}
