"""Where a waiting run stands and how long the wait may be."""

from __future__ import annotations

import math
import statistics
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from runs.models import TERMINAL, Claim, Run, Transition

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

    The range multiplies the runs ahead with a quick and with a slow one of the latest runs.
    """
    claim = Claim.objects.filter(run=run, token__isnull=True).first()
    if claim is None:
        return None
    ahead = Claim.objects.filter(id__lt=claim.id)
    waiting, working = ahead.filter(token__isnull=True).count(), ahead.filter(token__isnull=False).count()
    times = recent_seconds() or [UNKNOWN_SECONDS]
    quick, slow = times[len(times) // 4], times[(len(times) * 3) // 4]
    low = waiting * quick
    high = (waiting + working + 1) * slow
    return {"position": waiting + 1, "wait_seconds": [math.floor(low), math.ceil(high)]}


def seconds_unattended(worker: str) -> float:
    """How long a run has been waiting while ``worker`` had nothing in hand; 0 when all is in order.

    A worker that has just ended a run counts as attentive from that moment on.
    """
    if Claim.objects.filter(worker=worker, token__isnull=False).exists():
        return 0.0
    waiting = Claim.objects.filter(token__isnull=True).order_by("id")
    oldest = waiting.values_list("run__created_at", flat=True).first()
    if oldest is None:
        return 0.0
    ended = Transition.objects.filter(state__in=TERMINAL).order_by("-id").values_list("created_at", flat=True)
    return (timezone.now() - max(oldest, ended.first() or oldest)).total_seconds()
