"""A step and an end are stored although the database goes away for a while, and each once."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import Event, EventKind
from runs import lifecycle
from runs.models import Claim, State
from runs.public import public_run
from runs.work import execution, storing
from tests import cast, scripts
from tests.runs.recorded import play

pytestmark = pytest.mark.django_db

STEP = Event(EventKind.TOOL_STARTED, {"message": "Busca", "why": "Primero"})
AWAY = [
    OperationalError("the connection is lost"),
    OperationalError("database or disk is full"),
    OperationalError("database is locked"),
    InterfaceError("connection already closed"),
]


@pytest.fixture(autouse=True)
def clock(monkeypatch, settings) -> list[float]:
    """Time passes only while somebody pauses; the pauses made."""
    settings.LEASE_SECONDS = 30
    pauses: list[float] = []
    monkeypatch.setattr(storing, "monotonic", lambda: sum(pauses))
    monkeypatch.setattr(storing, "sleep", pauses.append)
    return pauses


def broken(monkeypatch, name: str, faults: list[Exception], *, after: bool = False) -> list[str]:
    """``lifecycle.<name>`` fails with each of ``faults`` in turn and then works; ``after`` its commit."""
    real, left, tried = getattr(lifecycle, name), list(faults), []

    def breaking(*arguments, **named):
        tried.append(name)
        done = None if left and not after else real(*arguments, **named)
        if left:
            raise left.pop(0)
        return done

    monkeypatch.setattr(lifecycle, name, breaking)
    return tried


def taken() -> lifecycle.Lease:
    return lifecycle.claim(cast.waiting_run(cast.asker()), "w")


def run_to_its_end(settings, tmp_path, steps) -> lifecycle.Lease:
    play(settings, tmp_path, steps)
    lease = taken()
    execution.execute(lease)
    return lease


def states(lease) -> list[str]:
    return list(lease.run.transitions.order_by("sequence").values_list("state", flat=True))


@pytest.mark.parametrize("fault", AWAY, ids=str)
def test_a_step_is_stored_once_the_database_is_back(monkeypatch, loaded_corpus, settings, tmp_path, fault):
    tried = broken(monkeypatch, "append", [fault] * 5)
    lease = run_to_its_end(settings, tmp_path, scripts.WHOLE)
    assert states(lease)[-1] == State.SUCCEEDED
    steps = list(lease.run.progress.order_by("sequence").values_list("sequence", flat=True))
    assert steps == list(range(1, len(tried) - 5 + 1))


def test_a_step_whose_answer_was_lost_is_not_stored_twice(monkeypatch):
    lease = taken()
    tried = broken(monkeypatch, "append", [AWAY[0], AWAY[3]], after=True)

    def write(again):
        # As if the first try had not come back to count it.
        lease.steps = 0
        return lifecycle.append(lease, STEP, [(1, b"a")], repeated=again)

    assert storing.patiently(write).sequence == 1
    assert len(tried) == 3
    assert lease.run.progress.count() == 1
    assert lease.steps == 1


def test_a_first_try_never_takes_another_step_for_its_own(monkeypatch):
    lease = taken()
    lifecycle.append(lease, STEP)
    lease.steps = 0
    with pytest.raises(IntegrityError):
        lifecycle.append(lease, STEP)


@pytest.mark.parametrize(
    ("name", "steps"), [("succeed", scripts.WHOLE), ("fail", [{"fail": "rate_limited"}])]
)
def test_an_end_is_stored_once_the_database_is_back(
    monkeypatch, loaded_corpus, settings, tmp_path, name, steps
):
    broken(monkeypatch, name, [AWAY[0]] * 5)
    lease = run_to_its_end(settings, tmp_path, steps)
    assert states(lease)[-1] == (State.SUCCEEDED if name == "succeed" else State.FAILED)
    assert not Claim.objects.exists()


@pytest.mark.parametrize(
    ("name", "steps"), [("succeed", scripts.WHOLE), ("fail", [{"fail": "rate_limited"}])]
)
def test_an_end_whose_answer_was_lost_stays(monkeypatch, loaded_corpus, settings, tmp_path, name, steps):
    tried = broken(monkeypatch, name, [AWAY[0]], after=True)
    lease = run_to_its_end(settings, tmp_path, steps)
    assert len(tried) == 2
    assert len(states(lease)) == 3
    assert states(lease)[-1] == (State.SUCCEEDED if name == "succeed" else State.FAILED)


def test_patience_ends_with_the_lease_and_the_run_as_interrupted(
    monkeypatch, loaded_corpus, settings, tmp_path, clock
):
    broken(monkeypatch, "append", [AWAY[0]] * 1000)
    lease = run_to_its_end(settings, tmp_path, scripts.WHOLE)
    assert public_run(lease.run)["error"]["code"] == FailureCode.INTERRUPTED
    assert settings.LEASE_SECONDS - storing.LONGEST_PAUSE <= sum(clock) <= settings.LEASE_SECONDS
    assert clock[:4] == [0.2, 0.4, 0.8, 1.6]
    assert max(clock) == storing.LONGEST_PAUSE


def test_a_worker_is_free_again_although_nothing_can_be_written(
    monkeypatch, loaded_corpus, settings, tmp_path, clock, caplog
):
    broken(monkeypatch, "append", [AWAY[1]] * 1000)
    tried = broken(monkeypatch, "fail", [AWAY[1]] * 1000)
    lease = run_to_its_end(settings, tmp_path, scripts.WHOLE)
    assert "its end could not be stored" in caplog.text
    # One attempt to end it: it was patient before.
    assert len(tried) == 1
    assert sum(clock) <= settings.LEASE_SECONDS
    # Its lease stays, for whoever sees it run out.
    assert Claim.objects.filter(run=lease.run, token=lease.token).exists()


def test_what_will_not_pass_is_not_tried_again(monkeypatch, clock):
    def write(_again):
        raise IntegrityError("never")

    with pytest.raises(IntegrityError):
        storing.patiently(write)
    assert clock == []


def test_a_lease_lost_meanwhile_ends_the_tries(monkeypatch, clock):
    lease = taken()
    broken(monkeypatch, "append", [AWAY[0]])
    lifecycle.interrupt_held("w")
    with pytest.raises(lifecycle.LeaseLost):
        storing.patiently(lambda again: lifecycle.append(lease, STEP, repeated=again))
    assert clock == [0.2]
    assert not lease.run.progress.exists()
