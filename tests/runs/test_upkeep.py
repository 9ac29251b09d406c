"""What a supervisor mends: what an earlier cluster held, silent workers, lost wake-ups, deaf clusters."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone
from django_q.models import OrmQ

from runs import lifecycle, presence, queue, waking
from runs.models import State, Worker
from runs.work.silence import Unchanged
from runs.work.upkeep import WEDGED_SECONDS, Upkeep
from tests.cast import asker, waiting_run

pytestmark = pytest.mark.django_db

PERIOD = 5.0


@pytest.fixture
def time() -> list[float]:
    """Goes on by hand."""
    return [0.0]


@pytest.fixture
def keeper(settings, time) -> Upkeep:
    settings.LEASE_SECONDS = 30
    made = Upkeep("aquí")
    made._unattended = Unchanged(made._waiting, lambda: time[0])
    return made


def last_state(run) -> str:
    return run.transitions.order_by("sequence").last().state


def test_it_ends_what_it_held_before_and_nothing_of_others(keeper):
    ours, theirs, waiting = (waiting_run(asker(name)) for name in ("ana", "beto", "carla"))
    lifecycle.claim(ours, "aquí")
    lifecycle.claim(theirs, "allá")
    keeper.recover()
    assert [last_state(run) for run in (ours, theirs, waiting)] == [State.FAILED, State.STARTED, State.QUEUED]


def test_it_leaves_nothing_at_work_and_no_row_of_its_own(keeper):
    run = waiting_run(asker())
    keeper.recover()
    lifecycle.claim(run, "aquí")
    assert Worker.objects.filter(name="aquí").exists()
    keeper.leave()
    assert last_state(run) == State.FAILED
    assert not Worker.objects.exists()


def test_a_lost_wake_up_is_made_again_and_only_once(keeper):
    waiting_run(asker())
    for _ in range(20):
        keeper.sweep()
    assert OrmQ.objects.count() == 1


def test_one_that_a_dead_worker_took_does_not_count(keeper):
    waiting_run(asker())
    waking.enqueue_wake_up()
    OrmQ.objects.update(lock=timezone.now() + timedelta(hours=1))
    keeper.sweep()
    keeper.sweep()
    assert OrmQ.objects.count() == 2


@pytest.mark.parametrize("places", [1, 2])
def test_nobody_is_woken_while_all_places_are_taken(keeper, settings, places):
    settings.MODEL_CONCURRENCY = places
    for name in ("ana", "beto")[:places]:
        lifecycle.claim(waiting_run(asker(name)), "allá")
    waiting_run(asker("carla"))
    keeper.sweep()
    assert not OrmQ.objects.exists()
    lifecycle.interrupt_held("allá")
    keeper.sweep()
    assert OrmQ.objects.count() == 1


def test_nobody_is_woken_for_an_empty_queue(keeper):
    keeper.sweep()
    assert not OrmQ.objects.exists()


def sweeps(keeper, time, seconds) -> bool:
    keeper.sweep()
    for _ in range(round(seconds / PERIOD)):
        time[0] += PERIOD
        keeper.sweep()
    return keeper.is_wedged


def test_a_cluster_is_deaf_when_the_same_run_waits_on_and_on(keeper, time):
    waiting_run(asker())
    assert not sweeps(keeper, time, WEDGED_SECONDS - PERIOD)
    time[0] += PERIOD
    keeper.sweep()
    assert keeper.is_wedged


def test_it_is_not_while_the_runs_that_wait_change(keeper, time):
    first = waiting_run(asker("ana"))
    assert not sweeps(keeper, time, WEDGED_SECONDS - PERIOD)
    lifecycle.cancel(first)
    waiting_run(asker("beto"))
    assert not sweeps(keeper, time, WEDGED_SECONDS - PERIOD)


@pytest.mark.parametrize("worker", ["aquí", "allá"])
def test_it_is_not_while_it_works_or_others_fill_the_places(keeper, time, worker):
    lifecycle.claim(waiting_run(asker("ana")), worker)
    waiting_run(asker("beto"))
    assert not sweeps(keeper, time, 2 * WEDGED_SECONDS)


def test_a_run_in_hand_is_not_given_up_for_one_that_waits(keeper, time, settings):
    settings.MODEL_CONCURRENCY = 2
    lifecycle.claim(waiting_run(asker("ana")), "aquí")
    waiting_run(asker("beto"))
    assert not sweeps(keeper, time, WEDGED_SECONDS)
    assert OrmQ.objects.count() == 1


def test_a_sweep_that_failed_proves_nothing(keeper, time, monkeypatch):
    waiting_run(asker())
    sweeps(keeper, time, WEDGED_SECONDS - PERIOD)

    def away(_worker):
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr(queue, "unattended", away)
        with pytest.raises(OperationalError):
            keeper.sweep()
    time[0] += PERIOD
    keeper.sweep()
    assert not keeper.is_wedged


def test_each_cluster_that_follows_a_deaf_one_has_longer_to_start(keeper, time):
    run = waiting_run(asker())
    for allowed in (WEDGED_SECONDS, 2 * WEDGED_SECONDS, 4 * WEDGED_SECONDS):
        assert not sweeps(keeper, time, allowed - PERIOD)
        assert sweeps(keeper, time, PERIOD)
        keeper.recover()
    lifecycle.cancel(run)
    sweeps(keeper, time, PERIOD)
    waiting_run(asker("beto"))
    assert sweeps(keeper, time, WEDGED_SECONDS)


def test_a_new_cluster_is_not_deaf_because_the_last_one_was(keeper, time):
    waiting_run(asker())
    sweeps(keeper, time, WEDGED_SECONDS)
    keeper.recover()
    assert not keeper.is_wedged
    assert not sweeps(keeper, time, WEDGED_SECONDS - PERIOD)


def test_who_works_is_seen_and_who_fell_silent_is_not():
    presence.began("aquí")
    presence.began("allá")
    Worker.objects.filter(name="allá").update(seen_at=timezone.now() - timedelta(minutes=5))
    assert [worker.name for worker in presence.working()] == ["aquí"]
    # Seen in a future that a clock set back took away.
    Worker.objects.filter(name="aquí").update(seen_at=timezone.now() + timedelta(minutes=5))
    assert presence.working() == []
    presence.seen("aquí")
    assert [worker.name for worker in presence.working()] == ["aquí"]


def test_since_when_it_works_stays_while_it_is_seen():
    presence.began("aquí")
    began = Worker.objects.get().started_at
    presence.seen("aquí")
    assert Worker.objects.get().started_at == began
    presence.began("aquí")
    assert Worker.objects.get().started_at > began


def test_rows_of_those_that_never_came_back_go_after_a_day():
    presence.began("vieja")
    Worker.objects.update(seen_at=timezone.now() - timedelta(hours=25))
    presence.began("callada")
    Worker.objects.filter(name="callada").update(seen_at=timezone.now() - timedelta(hours=23))
    presence.began("nueva")
    assert set(Worker.objects.values_list("name", flat=True)) == {"callada", "nueva"}
