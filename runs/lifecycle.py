"""The one writer of runs: every change of a run's state, step and claim goes through here.

A worker writes under a *lease*: its token must still stand in the run's claim when the row is written,
in the same transaction. A worker that lost its lease gets ``LeaseLost`` and has written nothing. The
``pieces`` of the run's transcript (``runs.transcripts``) are stored with the row or not at all.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import Event
from runs import live
from runs.models import Claim, Progress, Run, State, TranscriptEntry, Transition
from runs.serial import Turn, serialise

logger = logging.getLogger(__name__)

Piece = tuple[int, bytes]
"""Of a run's transcript: its place there, from 1, and its body."""

QUEUED, STARTED, ENDED = 1, 2, 3
"""Places among a run's transitions; a run that ends while it waits does so where others start."""

# In SQL, since each step asks it and the ORM takes twenty times as long to put it into words.
_HELD = "SELECT 1 FROM runs_claim WHERE run_id = %s AND token = %s"


class LeaseLost(Exception):
    """The run is no longer this worker's: it ended, was cancelled, or another took it over."""


@dataclass(slots=True)
class Lease:
    """The right to write one run; ``steps``: how many it published, which nobody else does."""

    run: Run
    token: uuid.UUID
    steps: int = 0


def create(run: Run) -> Claim:
    """Insert a run, its ``queued`` transition and its place in the queue. Call inside a transaction."""
    run.save(force_insert=True)
    # First, so that the database lets no run wait without its place.
    claim = Claim.objects.create(run=run, evaluator_id=run.evaluator_id)
    _append_transition(run, QUEUED, State.QUEUED)
    return claim


def claim_next(worker: str, *, at_most: int) -> Lease | None:
    """Take the oldest waiting run and mark it started.

    ``None`` when nobody waits, and when ``at_most`` runs are being worked on, by whomever.
    """
    with transaction.atomic():
        serialise(Turn.CLAIMING)
        if Claim.objects.filter(token__isnull=False).count() >= at_most:
            return None
        waiting = Claim.objects.select_for_update(skip_locked=True, of=("self",)).select_related("run")
        claim = waiting.filter(token__isnull=True).order_by("id").first()
        return None if claim is None else _start(claim, worker)


def claim(run: Run, worker: str) -> Lease:
    """Take one given waiting run, for the command line, which works on its own question."""
    with transaction.atomic():
        waiting = Claim.objects.select_for_update(of=("self",)).select_related("run")
        return _start(waiting.get(run=run, token__isnull=True), worker)


def append(lease: Lease, event: Event, pieces: Sequence[Piece] = (), *, repeated: bool = False) -> Progress:
    """Publish one step.

    ``repeated``: an earlier try may have been committed although its answer was lost; then it is that one.
    """
    with transaction.atomic():
        _hold(lease)
        place = lease.steps + 1
        step = lease.run.progress.filter(sequence=place).first() if repeated else None
        if step is None:
            _record(lease.run, pieces)
            told = {"kind": event.kind, "payload": event.payload}
            step = Progress.objects.create(run=lease.run, sequence=place, **told)
        live.announce(step)
    lease.steps = step.sequence
    return step


def succeed(
    lease: Lease,
    result: dict[str, Any],
    *,
    provenance: dict[str, Any] | None = None,
    pieces: Sequence[Piece] = (),
) -> None:
    """End a run with its public result, and with what of its provenance only the end could tell."""
    payload = {"result": result, "provenance": provenance or {}}
    with transaction.atomic():
        _hold(lease)
        _record(lease.run, pieces)
        _append_transition(lease.run, ENDED, State.SUCCEEDED, payload=payload)
        _release(lease)


def fail(
    lease: Lease,
    code: FailureCode,
    *,
    provenance: dict[str, Any] | None = None,
    usage: dict[str, Any] | None = None,
    pieces: Sequence[Piece] = (),
) -> None:
    """End a run without a result; ``provenance`` as in ``succeed``, ``usage`` as in a public result."""
    told = {"provenance": provenance, "usage": usage}
    payload = {name: value for name, value in told.items() if value}
    with transaction.atomic():
        _hold(lease)
        _record(lease.run, pieces)
        _append_transition(lease.run, ENDED, State.FAILED, payload=payload, failure=code)
        _release(lease)


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


def interrupt_held(worker: str) -> int:
    """Fail what ``worker`` held: it starts again and no longer works on it. Returns how many."""
    return _interrupt(models.Q(worker=worker))


def interrupt_silent(silent: Mapping[uuid.UUID, datetime]) -> int:
    """Fail the started runs that gave no sign of life since; ``silent``: claim token -> last heartbeat.

    A worker that came back meanwhile keeps its run. Returns how many ended.
    """
    still = [models.Q(token=token, heartbeat_at=beat) for token, beat in silent.items()]
    return sum(_interrupt(one) for one in still)


def forget(runs: models.QuerySet[Run]) -> int:
    """Delete what was recorded of those of ``runs`` that have ended; returns how many pieces.

    Nothing else of them changes. An active one goes on recording: its later pieces need those before them.
    """
    deleted, _rows = TranscriptEntry.objects.filter(run__in=runs.filter(claim__isnull=True)).delete()
    return deleted


def _start(claim: Claim, worker: str) -> Lease:
    claim.token, claim.worker, claim.heartbeat_at = uuid.uuid4(), worker, timezone.now()
    claim.save(update_fields=["token", "worker", "heartbeat_at"])
    _append_transition(claim.run, STARTED, State.STARTED)
    return Lease(claim.run, claim.token)


def _hold(lease: Lease) -> None:
    """Keep the claim as it is until the transaction ends."""
    lock = " FOR UPDATE" if connection.features.has_select_for_update else ""
    with connection.cursor() as cursor:
        cursor.execute(_HELD + lock, _keys(lease))
        if cursor.fetchone() is None:
            raise LeaseLost(lease.run.pk)


def _keys(lease: Lease) -> list[Any]:
    written = Claim._meta.get_field("token").get_db_prep_value
    return [written(key, connection) for key in (lease.run.pk, lease.token)]


def _release(lease: Lease) -> None:
    # After the end is written: the database lets no active run go without its claim.
    Claim.objects.filter(run=lease.run, token=lease.token).delete()


def _interrupt(which: models.Q) -> int:
    with transaction.atomic():
        claims = Claim.objects.select_for_update(of=("self",)).select_related("run")
        return sum(_end_of(claim) for claim in claims.filter(which, token__isnull=False))


def _end_of(claim: Claim) -> bool:
    """False for a claim that the database lets nobody end, which must not keep the others from it."""
    # Whoever asked for the end got it, even if nobody was left to hear.
    asked = claim.cancel_requested_at is not None
    try:
        with transaction.atomic():
            _fail_claim(claim, FailureCode.CANCELLED if asked else FailureCode.INTERRUPTED)
    except IntegrityError as error:
        logger.error("run %s cannot be ended: %s", claim.run_id, error)
        return False
    return True


def _fail_claim(claim: Claim, code: FailureCode) -> None:
    place = STARTED if claim.token is None else ENDED
    _append_transition(claim.run, place, State.FAILED, failure=code)
    claim.delete()


def _record(run: Run, pieces: Sequence[Piece]) -> None:
    entries = [TranscriptEntry(run=run, sequence=sequence, body=body) for sequence, body in pieces]
    # Who was interrupted just after a commit brings its pieces again.
    TranscriptEntry.objects.bulk_create(entries, ignore_conflicts=True)


def _append_transition(
    run: Run,
    place: int,
    state: State,
    *,
    payload: dict[str, Any] | None = None,
    failure: FailureCode | None = None,
) -> None:
    change = Transition.objects.create(
        run=run, sequence=place, state=state, failure=failure or "", payload=payload or {}
    )
    live.announce(change)
