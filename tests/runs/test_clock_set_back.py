"""A clock that was set back while a run waited or worked: its order stays, and no time is negative."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from runs import lifecycle, queue
from runs.models import Run, State, Transition
from runs.public import public_run
from tests.cast import asker, waiting_run
from tests.runs.api_client import RESULT

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(monkeypatch) -> Run:
    """One that started a minute before its question, and ended two minutes before it."""
    made, real, back = waiting_run(asker()), timezone.now, timedelta()
    field = Transition._meta.get_field("created_at")
    monkeypatch.setattr(field, "_get_default", lambda: real() - back)
    back = timedelta(minutes=1)
    lease = lifecycle.claim(made, "w")
    back = timedelta(minutes=2)
    lifecycle.succeed(lease, RESULT)
    return made


def test_its_states_keep_their_order(run):
    changes = list(run.transitions.order_by("sequence"))
    assert [change.state for change in changes] == [State.QUEUED, State.STARTED, State.SUCCEEDED]
    assert changes[2].created_at < changes[1].created_at < run.created_at
    assert Run.objects.with_state().get(pk=run.pk).state == State.SUCCEEDED


def test_it_waited_for_no_time_and_not_for_less(run):
    assert public_run(run)["result"]["timing"]["waited_ms"] == 0


def test_what_it_took_makes_no_wait_negative(run):
    assert queue.recent_seconds() == [0.0]
    assert queue.retry_after() >= 1
