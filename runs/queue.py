"""Where a waiting run stands and how long the wait may be."""

from __future__ import annotations

import math
import statistics
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from runs import presence
from runs.models import Claim, Run, State

RECENT = 20
UNKNOWN_SECONDS = 30.0  # before anything was measured


def recent_seconds() -> list[float]:
    """Working time of the latest answered runs, in seconds, shortest first.

    Those that failed say nothing of it: they end at once, or at a limit.
    """
    ended: QuerySet[Run] = Run.objects.with_state().filter(state=State.SUCCEEDED)
    times: list[tuple[datetime, datetime]] = list(
        ended.order_by("-created_at").values_list("started_at", "completed_at")[:RECENT]
    )
    # A clock set back in between makes none of them negative.
    return sorted(max(0.0, (end - start).total_seconds()) for start, end in times)


def typical_seconds() -> float:
    """Median working time of a run, in seconds."""
    return statistics.median(recent_seconds() or [UNKNOWN_SECONDS])


def place(run: Run) -> dict[str, Any] | None:
    """``{"position", "attended", "wait_seconds": [low, high]}`` of a waiting run; ``None`` once it is taken.

    Not ``attended``: no worker was seen lately, and nobody knows how long the wait will be (``None``). Low:
    those at work are about to end and the latest quick runs are typical; high: they have just begun and the
    slow ones are.
    """
    claim = Claim.objects.filter(run=run, token__isnull=True).first()
    if claim is None:
        return None
    ahead = Claim.objects.filter(token__isnull=True, id__lt=claim.id).count()
    attended = bool(presence.working())
    return {
        "position": ahead + 1,
        "attended": attended,
        "wait_seconds": _wait_seconds(ahead) if attended else None,
    }


def _wait_seconds(ahead: int) -> list[int]:
    working = Claim.objects.filter(token__isnull=False).count()
    quick, slow = _quick_and_slow()
    low, high = waits(ahead, working, settings.MODEL_CONCURRENCY)
    return [math.floor(low * quick), math.ceil(high * slow)]


def waits(ahead: int, working: int, places: int) -> tuple[int, int]:
    """How many runs, at least and at most, are worked on one after the other before it is this one's turn.

    ``ahead`` of it wait, ``working`` are at work, in ``places`` at once. At least: those at work end now; at
    most: they have just begun, and whatever is free is taken first. More than ``places`` may be at work: the
    number was lowered, or the command line works on its own question.
    """
    taken = min(working, places)
    return ahead // places, max(0, math.ceil((ahead + taken + 1 - places) / places))


def retry_after() -> int:
    """Seconds until a full queue should have moved by one."""
    return max(1, round(typical_seconds() / settings.MODEL_CONCURRENCY))


def can_begin() -> bool:
    """Whether a run waits and one more may be worked on."""
    return _has_place() and Claim.objects.filter(token__isnull=True).exists()


def unattended(worker: str) -> int | None:
    """The oldest waiting claim, by id, if one more may be worked on and ``worker`` has nothing in hand."""
    if not _has_place() or Claim.objects.filter(token__isnull=False, worker=worker).exists():
        return None
    return Claim.objects.filter(token__isnull=True).order_by("id").values_list("id", flat=True).first()


def is_free_for_one_more(*, others_come_first: bool) -> bool:
    """Whether a run that is not in the queue may begin, before or after those that wait there."""
    return _has_place() and not (others_come_first and Claim.objects.filter(token__isnull=True).exists())


def _has_place() -> bool:
    return Claim.objects.filter(token__isnull=False).count() < settings.MODEL_CONCURRENCY


def _quick_and_slow() -> tuple[float, float]:
    times = recent_seconds() or [UNKNOWN_SECONDS]
    return times[len(times) // 4], times[(len(times) * 3) // 4]
