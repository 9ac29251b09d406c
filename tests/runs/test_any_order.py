"""The lifecycle in any order, by several people and workers, held against a model without a database.

One after the other over one connection; many at once are in ``test_asking_at_once``, ``test_concurrency`` and
``test_fleet``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dofpilot.access.problems import Problem, ProblemCode
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import Event, EventKind
from runs import lifecycle, provenance
from runs.admission import admit
from runs.lifecycle import Lease, LeaseLost
from runs.models import Claim, Run
from runs.requests import RunRequest, parse
from tests.cast import PROVENANCE, asker
from tests.runs.lifecycle_model import SUCCEEDED, Known, faults, stored

pytestmark = pytest.mark.django_db

AT_MOST, QUEUE_LIMIT = 2, 3
PEOPLE = ("ana", "beto", "carla", "dora")
WORKERS = ("w1", "w2", "w3")
QUESTION = "¿Qué dice la norma?"
STEP = Event(EventKind.TOOL_STARTED, {"message": "Busca", "why": "Primero"})
ANY = st.integers(min_value=0, max_value=9)
"""Which of those that there are by then, the newest first: most of the older ones have ended."""


def asked(request_id: str, question: str = QUESTION) -> RunRequest:
    return parse({"question": question, "as_of": "2026-04-24", "client_request_id": request_id})


class AnyOrder(RuleBasedStateMachine):
    """One database from its beginning; each example's is rolled back."""

    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.known: dict[UUID, Known] = {}
        self.requests: list[tuple[str, str, UUID]] = []
        self.leases: list[Lease] = []
        self.noted: dict[UUID, datetime] = {}
        self.silent: set[UUID] = set()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

    @initialize()
    def invite(self) -> None:
        self.people = {name: asker(name) for name in PEOPLE}

    # --- those who ask ---

    @rule(who=st.sampled_from(PEOPLE))
    def submit(self, who: str) -> None:
        evaluator, request = self.people[who], asked(f"r-{len(self.requests)}")
        active = [known.evaluator for known in self.known.values() if not known.has_ended]
        if evaluator.pk in active:
            self.is_refused(who, request, ProblemCode.ACTIVE_RUN)
        elif len(active) >= QUEUE_LIMIT:
            self.is_refused(who, request, ProblemCode.QUEUE_FULL)
        else:
            admitted = admit(evaluator, request)
            assert admitted.created
            self.known[admitted.run.pk] = Known(evaluator.pk)
            self.requests.append((who, request.client_request_id, admitted.run.pk))

    @precondition(lambda self: self.requests)
    @rule(which=ANY, question=st.sampled_from((QUESTION, "¿Y otra cosa?")))
    def submit_again(self, which: int, question: str) -> None:
        who, request_id, run = chosen(self.requests, which)
        if question != QUESTION:
            self.is_refused(who, asked(request_id, question), ProblemCode.IDEMPOTENCY_CONFLICT)
            return
        again = admit(self.people[who], asked(request_id))
        assert (again.run.pk, again.created) == (run, False)

    @precondition(lambda self: self.known)
    @rule(which=ANY)
    def cancel(self, which: int) -> None:
        pk, known = chosen(list(self.known.items()), which)
        had_ended = known.has_ended
        known.cancel()
        assert lifecycle.cancel(Run.objects.get(pk=pk)) is not had_ended

    # --- those who work ---

    @rule(worker=st.sampled_from(WORKERS))
    def start(self, worker: str) -> None:
        waiting = [pk for pk, known in self.known.items() if known.is_waiting]
        at_work = sum(known.is_at_work for known in self.known.values())
        lease = lifecycle.claim_next(worker, at_most=AT_MOST)
        if not waiting or at_work >= AT_MOST:
            assert lease is None
            return
        assert lease.run.pk == waiting[0], "not the one that has waited longest"
        assert lease.token not in {other.token for other in self.leases}
        self.known[waiting[0]].start(worker)
        self.leases.append(lease)

    @precondition(lambda self: self.leases)
    @rule(which=ANY)
    def step(self, which: int) -> None:
        lease = chosen(self.leases, which)
        if self.writes(lease, lambda: lifecycle.append(lease, STEP, [(lease.steps + 1, b"a")])):
            self.known[lease.run.pk].steps += 1

    @precondition(lambda self: any(lease.steps for lease in self.leases))
    @rule(which=ANY)
    def step_again_whose_answer_was_lost(self, which: int) -> None:
        lease = chosen([lease for lease in self.leases if lease.steps], which)
        known = self.known[lease.run.pk]
        lease.steps -= 1
        self.writes(lease, lambda: lifecycle.append(lease, STEP, [(known.steps, b"a")], repeated=True))
        lease.steps = known.steps

    @precondition(lambda self: self.leases)
    @rule(which=ANY)
    def beat(self, which: int) -> None:
        lease = chosen(self.leases, which)
        known = self.known[lease.run.pk]
        told: list[bool] = []
        if self.writes(lease, lambda: told.append(lifecycle.beat(lease))):
            assert told == [known.is_cancelling]
            self.silent.discard(lease.token)

    # One rule, so that runs are not ended more often than they are worked on.
    @precondition(lambda self: self.leases)
    @rule(which=ANY, code=st.none() | st.sampled_from(FailureCode))
    def end(self, which: int, code: FailureCode | None) -> None:
        lease = chosen(self.leases, which)
        known = self.known[lease.run.pk]
        if code is None:
            if self.writes(lease, lambda: lifecycle.succeed(lease, {"answer": None})):
                known.states.append(SUCCEEDED)
        elif self.writes(lease, lambda: lifecycle.fail(lease, code)):
            known.fail(code)

    # --- those who look after the workers ---

    @rule()
    def look(self) -> None:
        """Note every heartbeat; a later beat makes it an old one."""
        self.noted = dict(Claim.objects.filter(token__isnull=False).values_list("token", "heartbeat_at"))
        self.silent = set(self.noted)

    @precondition(lambda self: self.noted)
    @rule(which=ANY)
    def expire(self, which: int) -> None:
        token = chosen(sorted(self.noted), which)
        silent = [lease for lease in self.leases if lease.token == token and token in self.silent]
        ending = [known for lease in silent if (known := self.known[lease.run.pk]).is_at_work]
        assert lifecycle.interrupt_silent({token: self.noted[token]}) == len(ending)
        self.interrupt(ending)

    @precondition(lambda self: any(known.is_at_work for known in self.known.values()))
    @rule()
    def come_back_just_in_time(self) -> None:
        """The worker that was at work first gives a sign of life after the look that found it silent."""
        lease = next(lease for lease in self.leases if self.known[lease.run.pk].is_at_work)
        silent_since = Claim.objects.get(run=lease.run).heartbeat_at
        lifecycle.beat(lease)
        self.silent.discard(lease.token)
        assert lifecycle.interrupt_silent({lease.token: silent_since}) == 0

    @rule(worker=st.sampled_from(WORKERS))
    def restart(self, worker: str) -> None:
        held = [known for known in self.known.values() if known.is_at_work and known.worker == worker]
        assert lifecycle.interrupt_held(worker) == len(held)
        self.interrupt(held)

    @precondition(lambda self: self.known)
    @rule(which=ANY)
    def forget(self, which: int) -> None:
        lifecycle.forget(Run.objects.filter(pk=chosen(list(self.known), which)))

    # --- what holds whatever happened ---

    @invariant()
    def the_database_holds_what_it_ought_to(self) -> None:
        assert stored() == {pk: known.life() for pk, known in self.known.items()}

    @invariant()
    def every_promise_is_kept(self) -> None:
        assert faults(stored(), at_most=AT_MOST, queue_limit=QUEUE_LIMIT) == []

    def is_refused(self, who: str, request: RunRequest, code: ProblemCode) -> None:
        with pytest.raises(Problem) as refused:
            admit(self.people[who], request)
        assert refused.value.code == code

    def writes(self, lease: Lease, write: Callable[[], object]) -> bool:
        """Whether the lease still holds; a write under one that does not must fail."""
        if self.known[lease.run.pk].is_at_work:
            write()
            return True
        with pytest.raises(LeaseLost):
            write()
        return False

    def interrupt(self, ending: list[Known]) -> None:
        for known in ending:
            known.fail(FailureCode.CANCELLED if known.is_cancelling else FailureCode.INTERRUPTED)


def chosen(those: list[Any], which: int) -> Any:
    return those[-1 - which % len(those)]


def test_in_any_order_each_run_waits_is_worked_on_or_has_ended_once(monkeypatch, settings):
    monkeypatch.setattr(provenance, "capture", lambda **_: PROVENANCE)
    settings.QUEUE_LIMIT, settings.RUNS_PER_HOUR = QUEUE_LIMIT, 10_000
    often = hypothesis_settings(max_examples=100, stateful_step_count=50, deadline=None)
    run_state_machine_as_test(AnyOrder, settings=often)
