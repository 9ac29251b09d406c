"""The one writer of runs: every change of a run's state, step and claim goes through here.

A worker writes under a *lease*: its token must still stand in the run's claim when the row is written,
in the same transaction. A worker that lost its lease gets ``LeaseLost`` and has written nothing.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import Event
from runs import live
from runs.models import Claim, Progress, Run, State, Transition


class LeaseLost(Exception):
    """The run is no longer this worker's: it ended, was cancelled, or another took it over."""


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write one run."""

    run: Run
    token: uuid.UUID


def create(run: Run) -> Claim:
    """Insert a run, its ``queued`` transition and its place in the queue. Call inside a transaction."""
    run.save(force_insert=True)
    _append_transition(run, State.QUEUED)
    return Claim.objects.create(run=run, evaluator_id=run.evaluator_id)


def claim_next(worker: str) -> Lease | None:
    """Take the oldest waiting run and mark it started; ``None`` when nobody waits."""
    with transaction.atomic():
        waiting = Claim.objects.select_for_update(skip_locked=True, of=("self",)).select_related("run")
        claim = waiting.filter(token__isnull=True).order_by("id").first()
        return None if claim is None else _start(claim, worker)


def claim(run: Run, worker: str) -> Lease:
    """Take one given waiting run, for the command line, which works on its own question."""
    with transaction.atomic():
        waiting = Claim.objects.select_for_update(of=("self",)).select_related("run")
        return _start(waiting.get(run=run, token__isnull=True), worker)


def append(lease: Lease, event: Event) -> Progress:
    """Publish one step."""
    with transaction.atomic():
        _hold(lease)
        step = Progress.objects.create(
            run=lease.run, sequence=_next_sequence(lease.run), kind=event.kind, payload=event.payload
        )
        live.announce(step)
    return step


def succeed(lease: Lease, result: dict[str, Any], *, provenance: dict[str, Any] | None = None) -> None:
    """End a run with its public result, and with what of its provenance only the end could tell."""
    with transaction.atomic():
        _hold(lease).delete()
        _append_transition(
            lease.run, State.SUCCEEDED, payload={"result": result, "provenance": provenance or {}}
        )


def fail(lease: Lease, code: FailureCode, *, provenance: dict[str, Any] | None = None) -> None:
    """End a run without a result; ``provenance`` as in ``succeed``."""
    with transaction.atomic():
        _hold(lease).delete()
        payload = {"provenance": provenance} if provenance else {}
        _append_transition(lease.run, State.FAILED, payload=payload, failure=code)


def beat(lease: Lease) -> bool:
    """Renew the lease. True when the evaluator asked to cancel; raises ``LeaseLost``."""
    held = Claim.objects.filter(run=lease.run, token=lease.token)
    if not held.update(heartbeat_at=timezone.now()):
        raise LeaseLost(lease.run.pk)
    return held.filter(cancel_requested_at__isnull=False).exists()


def cancel(run: Run) -> bool:
    """End a waiting run now, or ask its worker to stop. False when the run had ended already."""
    with transaction.atomic():
        claim = Claim.objects.select_for_update().filter(run=run).first()
        if claim is None:
            return False
        if claim.token is None:
            _fail_claim(claim, FailureCode.CANCELLED)
        elif claim.cancel_requested_at is None:
            claim.cancel_requested_at = timezone.now()
            claim.save(update_fields=["cancel_requested_at"])
    return True


def interrupt_expired(lease_seconds: float, *, worker: str | None = None) -> int:
    """Fail the started runs whose worker went silent, and all of ``worker``'s own; returns how many.

    A worker that starts again passes its own name: whatever it held before, it no longer works on.
    """
    silent = models.Q(heartbeat_at__lt=timezone.now() - timedelta(seconds=lease_seconds))
    lost = silent if worker is None else silent | models.Q(worker=worker)
    with transaction.atomic():
        claims = Claim.objects.select_for_update().filter(lost, token__isnull=False)
        for claim in claims:
            _fail_claim(claim, FailureCode.INTERRUPTED)
        return len(claims)


def _start(claim: Claim, worker: str) -> Lease:
    claim.token, claim.worker, claim.heartbeat_at = uuid.uuid4(), worker, timezone.now()
    claim.save(update_fields=["token", "worker", "heartbeat_at"])
    _append_transition(claim.run, State.STARTED)
    return Lease(claim.run, claim.token)


def _hold(lease: Lease) -> Claim:
    held = Claim.objects.select_for_update().filter(run=lease.run, token=lease.token).first()
    if held is None:
        raise LeaseLost(lease.run.pk)
    return held


def _fail_claim(claim: Claim, code: FailureCode) -> None:
    claim.delete()
    _append_transition(claim.run, State.FAILED, failure=code)


def _append_transition(
    run: Run, state: State, *, payload: dict[str, Any] | None = None, failure: FailureCode | None = None
) -> None:
    last: int | None = run.transitions.aggregate(last=models.Max("sequence"))["last"]
    change = Transition.objects.create(
        run=run, sequence=(last or 0) + 1, state=state, failure=failure or "", payload=payload or {}
    )
    live.announce(change)


def _next_sequence(run: Run) -> int:
    last: int | None = run.progress.aggregate(last=models.Max("sequence"))["last"]
    return (last or 0) + 1
