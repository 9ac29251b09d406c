"""Where a waiting run stands and how long the wait may be."""

from __future__ import annotations

import math
import statistics
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from runs.models import TERMINAL, Claim, Run

RECENT = 20
UNKNOWN_SECONDS = 30.0  # before anything was measured


def recent_seconds() -> list[float]:
    """Working time of the latest finished runs, in seconds, shortest first."""
    ended: QuerySet[Run] = Run.objects.with_state().filter(state__in=TERMINAL, started_at__isnull=False)
    times: list[tuple[datetime, datetime]] = list(
        ended.order_by("-created_at").values_list("started_at", "completed_at")[:RECENT]
    )
    return sorted((end - start).total_seconds() for start, end in times)


def typical_seconds() -> float:
    """Median working time of a run, in seconds."""
    return statistics.median(recent_seconds() or [UNKNOWN_SECONDS])


def place(run: Run) -> dict[str, Any] | None:
    """``{"position", "wait_seconds": [low, high]}`` of a waiting run; ``None`` once it is taken.

    Low: those at work are about to end and the latest quick runs are typical; high: they have just begun
    and the slow ones are.
    """
    claim = Claim.objects.filter(run=run, token__isnull=True).first()
    if claim is None:
        return None
    ahead = Claim.objects.filter(token__isnull=True, id__lt=claim.id).count()
    working = Claim.objects.filter(token__isnull=False).count()
    quick, slow = _quick_and_slow()
    low, high = waits(ahead, working, settings.MODEL_CONCURRENCY)
    return {"position": ahead + 1, "wait_seconds": [math.floor(low * quick), math.ceil(high * slow)]}


def waits(ahead: int, working: int, places: int) -> tuple[int, int]:
    """How many runs, at least and at most, end one after the other before a place is free for this one.

    ``ahead`` of it wait, ``working`` are at work, in ``places`` at once.
    """
    must_end = ahead + working - places + 1
    if must_end <= 0:
        return 0, 0
    return (must_end - 1) // places, math.ceil(must_end / places)


def retry_after() -> int:
    """Seconds until a full queue should have moved by one."""
    return max(1, round(typical_seconds() / settings.MODEL_CONCURRENCY))


def is_unattended(worker: str) -> bool:
    """Whether a run waits although ``worker`` has nothing in hand and one more may be worked on."""
    working = Claim.objects.filter(token__isnull=False)
    if working.filter(worker=worker).exists() or working.count() >= settings.MODEL_CONCURRENCY:
        return False
    return Claim.objects.filter(token__isnull=True).exists()


def _quick_and_slow() -> tuple[float, float]:
    times = recent_seconds() or [UNKNOWN_SECONDS]
    return times[len(times) // 4], times[(len(times) * 3) // 4]
