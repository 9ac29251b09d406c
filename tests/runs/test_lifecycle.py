"""A run's states, steps and claims. What the database itself refuses is in ``test_promises``."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import Event, EventKind
from runs import lifecycle, live
from runs.lifecycle import LeaseLost
from runs.models import Claim, Run, State
from tests.cast import asker, waiting_run

pytestmark = pytest.mark.django_db

STEP = Event(EventKind.TOOL_STARTED, {"message": "Busca", "why": "Primero"})


def states(run: Run) -> list[str]:
    return list(run.transitions.order_by("sequence").values_list("state", flat=True))


def test_a_run_goes_from_the_queue_to_its_result():
    run = waiting_run(asker())
    lease = lifecycle.claim_next("w", at_most=9)
    lifecycle.append(lease, STEP)
    lifecycle.succeed(lease, {"answer": None})
    assert states(run) == [State.QUEUED, State.STARTED, State.SUCCEEDED]
    assert not Claim.objects.exists()


def test_the_oldest_waiting_run_is_claimed_first_and_each_only_once():
    first, second = waiting_run(asker("ana")), waiting_run(asker("beto"))
    assert lifecycle.claim_next("w", at_most=9).run == first
    assert lifecycle.claim_next("w", at_most=9).run == second
    assert lifecycle.claim_next("w", at_most=9) is None


def test_steps_are_numbered_from_one_without_gaps():
    lease = lifecycle.claim(waiting_run(asker()), "w")
    assert [lifecycle.append(lease, STEP).sequence for _ in range(3)] == [1, 2, 3]


def test_a_step_that_could_not_be_stored_leaves_no_gap(monkeypatch):
    def gone(_row):
        raise RuntimeError("la base de datos se fue un momento")

    lease = lifecycle.claim(waiting_run(asker()), "w")
    lifecycle.append(lease, STEP)
    with monkeypatch.context() as patched:
        patched.setattr(live, "announce", gone)
        with pytest.raises(RuntimeError):
            lifecycle.append(lease, STEP)
    assert lifecycle.append(lease, STEP).sequence == 2
    assert list(lease.run.progress.values_list("sequence", flat=True)) == [1, 2]


def test_a_step_is_stored_in_three_statements_the_first_of_which_holds_the_claim():
    lease = lifecycle.claim(waiting_run(asker()), "w")
    with CaptureQueriesContext(connection) as captured:
        lifecycle.append(lease, STEP, [(1, b"a")])
    asked = [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]
    assert [sql.split()[0] for sql in asked] == ["SELECT", "INSERT", "INSERT"]
    # SQLite's transactions hold everything from their beginning.
    assert asked[0].endswith("FOR UPDATE") == connection.features.has_select_for_update


def test_a_worker_that_lost_its_lease_writes_nothing():
    run = waiting_run(asker())
    late = lifecycle.claim_next("w", at_most=9)
    lifecycle.interrupt_held("w")
    for write in (
        lambda: lifecycle.append(late, STEP),
        lambda: lifecycle.succeed(late, {"answer": "tarde"}),
        lambda: lifecycle.fail(late, FailureCode.INTERNAL_ERROR),
        lambda: lifecycle.beat(late),
    ):
        with pytest.raises(LeaseLost):
            write()
    assert states(run) == [State.QUEUED, State.STARTED, State.FAILED]
    assert run.transitions.get(state=State.FAILED).failure == FailureCode.INTERRUPTED
    assert not run.progress.exists()


def test_a_silent_worker_loses_its_run_and_one_that_beats_meanwhile_keeps_it():
    silent, beating = (lifecycle.claim(waiting_run(asker(name)), "w") for name in ("ana", "beto"))
    heartbeats = dict(Claim.objects.values_list("token", "heartbeat_at"))
    lifecycle.beat(beating)
    assert lifecycle.interrupt_silent(heartbeats) == 1
    assert states(silent.run)[-1] == State.FAILED
    assert states(beating.run)[-1] == State.STARTED


def test_waiting_runs_survive_a_recovery():
    run = waiting_run(asker())
    assert lifecycle.interrupt_held("w") == 0
    assert lifecycle.claim_next("w", at_most=9).run == run


def test_cancelling_ends_a_waiting_run_at_once():
    run = waiting_run(asker())
    assert lifecycle.cancel(run)
    assert run.transitions.last().failure == FailureCode.CANCELLED
    assert lifecycle.claim_next("w", at_most=9) is None


def test_cancelling_a_started_run_tells_its_worker_at_the_next_beat():
    run = waiting_run(asker())
    lease = lifecycle.claim_next("w", at_most=9)
    assert lifecycle.beat(lease) is False
    assert lifecycle.cancel(run)
    assert lifecycle.beat(lease) is True


def test_a_cancel_that_its_worker_did_not_live_to_hear_is_told_as_one():
    run = waiting_run(asker())
    lifecycle.claim_next("w", at_most=9)
    lifecycle.cancel(run)
    assert lifecycle.interrupt_held("w") == 1
    assert run.transitions.last().failure == FailureCode.CANCELLED


def test_a_claim_that_cannot_be_ended_keeps_no_other_from_its_end(caplog):
    broken = waiting_run(asker("ana"))
    held = lifecycle.claim(waiting_run(asker("beto")), "w")
    # By hand: taken without a start.
    Claim.objects.filter(run=broken).update(token=held.run.pk, worker="w")
    assert lifecycle.interrupt_held("w") == 1
    assert states(held.run)[-1] == State.FAILED
    assert f"run {broken.pk} cannot be ended" in caplog.text


def test_cancelling_an_ended_run_changes_nothing():
    run = waiting_run(asker())
    lifecycle.succeed(lifecycle.claim_next("w", at_most=9), {"answer": None})
    assert lifecycle.cancel(run) is False
    assert states(run)[-1] == State.SUCCEEDED
