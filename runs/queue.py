"""Where a waiting run stands and how long the wait may be."""

from __future__ import annotations

import math
import statistics
from datetime import datetime
from typing import Any

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
