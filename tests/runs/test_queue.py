"""Where a waiting run stands, and the range that is told for its wait."""

from __future__ import annotations

import heapq
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.agent.errors import FailureCode
from runs import lifecycle, presence, queue
from runs.models import Worker
from runs.presentation.status import status_of
from runs.public import public_run
from tests import cast
from tests.runs.api_client import RESULT

some = st.integers(0, 30)
at_once = st.integers(1, 8)


def turn(ahead: int, working: int, places: int, left: float) -> float:
    """When a run's turn comes, tried out: each takes 1, those at work have ``left`` of it."""
    ends = [left] * working
    heapq.heapify(ends)
    now = 0.0
    for _ in range(ahead + 1):
        while len(ends) >= places:
            now = heapq.heappop(ends)
        heapq.heappush(ends, now + 1)
    return now


@given(ahead=some, working=some, places=at_once)
def test_a_wait_is_as_long_as_when_it_is_tried_out(ahead, working, places):
    assert queue.waits(ahead, working, places) == (
        turn(ahead, working, places, left=0),
        turn(ahead, working, places, left=1),
    )


@given(ahead=some, working=some, places=at_once, left=st.floats(0, 1))
def test_however_far_those_at_work_are_the_wait_is_within_its_range(ahead, working, places, left):
    low, high = queue.waits(ahead, working, places)
    assert low <= turn(ahead, working, places, left) <= high


@pytest.fixture
def attended(db) -> None:
    presence.began("host:/var")


def waiting(count: int) -> list:
    return [cast.waiting_run(cast.asker(f"p{number}")) for number in range(count)]


@pytest.fixture
def took(monkeypatch):
    """The latest runs took so many seconds."""

    def took(*seconds: float) -> None:
        monkeypatch.setattr(queue, "recent_seconds", lambda: sorted(seconds))

    return took


def test_a_place_and_its_range_follow_from_those_before_it_and_the_latest_runs(attended, took, settings):
    settings.MODEL_CONCURRENCY = 2
    took(10, 20, 30, 40)
    runs = waiting(6)
    for _ in range(2):
        lifecycle.claim_next("w", at_most=2)

    assert queue.place(runs[0]) is None
    assert queue.place(runs[2]) == {"position": 1, "attended": True, "wait_seconds": [0, 40]}
    assert queue.place(runs[5]) == {"position": 4, "attended": True, "wait_seconds": [20, 80]}


def test_a_place_moves_up_when_another_run_is_cancelled_or_ends(attended, took):
    took(10)
    working, first, last = waiting(3)
    lease = lifecycle.claim_next("w", at_most=1)
    assert lease.run == working
    assert queue.place(last) == {"position": 2, "attended": True, "wait_seconds": [10, 20]}
    lifecycle.cancel(first)
    assert queue.place(last) == {"position": 1, "attended": True, "wait_seconds": [0, 10]}
    lifecycle.succeed(lease, RESULT)
    assert queue.place(last) == {"position": 1, "attended": True, "wait_seconds": [0, 0]}


def test_only_answered_runs_tell_how_long_one_takes(db):
    for name, end in (("ana", lambda lease: lifecycle.succeed(lease, RESULT)), ("beto", refuse)):
        cast.waiting_run(cast.asker(name))
        end(lifecycle.claim_next("w", at_most=1))
    assert len(queue.recent_seconds()) == 1


def refuse(lease) -> None:
    lifecycle.fail(lease, FailureCode.CORPUS_UNAVAILABLE)


def test_a_run_whose_turn_has_come_is_told_so(attended, took):
    took(10)
    (run,) = waiting(1)
    assert "lugar 1. Empieza enseguida." in status_of(public_run(run)).text


def test_a_wait_is_told_as_a_range(attended, took):
    took(90)
    run = waiting(3)[2]
    assert "lugar 3. Espera estimada: cerca de 3 minutos." in status_of(public_run(run)).text


def test_without_a_worker_it_is_told_plainly_and_no_range_is_made_up(db, took):
    took(10)
    (run,) = waiting(1)
    assert queue.place(run) == {"position": 1, "attended": False, "wait_seconds": None}
    told = status_of(public_run(run)).text
    assert "Nadie atiende la cola en este momento; tu pregunta queda guardada." in told
    assert "Espera estimada" not in told


def test_a_worker_that_went_silent_attends_no_queue(attended):
    (run,) = waiting(1)
    Worker.objects.update(seen_at=timezone.now() - timedelta(minutes=5))
    assert queue.place(run)["attended"] is False
