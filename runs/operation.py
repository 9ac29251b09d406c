"""How the site works now, gathered for staff: nothing is decided by it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db.models import Count
from django.utils import timezone

from runs import pause, presence, provider_health
from runs.models import TERMINAL, Claim, ProviderHealth, State, Transition, Worker
from runs.pause import Pause
from runs.provider_health import Trouble

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class SeenWorker:
    worker: Worker
    lately: bool


@dataclass(frozen=True, slots=True)
class Queue:
    """``oldest_wait`` in seconds; ``None`` when nobody waits."""

    waiting: int
    working: int
    places: int
    limit: int
    oldest_wait: float | None


@dataclass(frozen=True, slots=True)
class Ends:
    """How many runs ended with one ``code`` (that of the failure, or ``succeeded``).

    ``share`` in percent of the most frequent one.
    """

    code: str
    count: int
    share: int


@dataclass(frozen=True, slots=True)
class Operation:
    """``look``: the last look at the model's server, where the provider has one."""

    pause: Pause | None
    has_server: bool
    look: ProviderHealth | None
    look_is_fresh: bool
    trouble: Trouble | None
    workers: list[SeenWorker]
    queue: Queue
    ends: list[Ends]


def operation() -> Operation:
    look = provider_health.last_look()
    return Operation(
        pause=pause.current(),
        has_server=provider_health.has_server(),
        look=look,
        look_is_fresh=look is not None and provider_health.is_fresh(look),
        trouble=provider_health.trouble(),
        workers=_workers(),
        queue=_queue(),
        ends=_ends(),
    )


def _workers() -> list[SeenWorker]:
    lately = {worker.pk for worker in presence.working()}
    return [SeenWorker(worker, worker.pk in lately) for worker in Worker.objects.all()]


def _queue() -> Queue:
    waiting = Claim.objects.filter(token__isnull=True).select_related("run").order_by("id")
    oldest = waiting.first()
    # A clock set back makes no wait negative.
    age = oldest and max(0.0, (timezone.now() - oldest.run.created_at).total_seconds())
    working = Claim.objects.filter(token__isnull=False).count()
    return Queue(waiting.count(), working, settings.MODEL_CONCURRENCY, settings.QUEUE_LIMIT, age)


def _ends() -> list[Ends]:
    """Of the last hour, the most frequent first."""
    since = timezone.now() - HOUR
    ended = Transition.objects.filter(state__in=TERMINAL, created_at__gt=since).order_by()
    counted = ended.values_list("failure").annotate(count=Count("id")).order_by("-count", "failure")
    counts = [(code or State.SUCCEEDED.value, count) for code, count in counted]
    return [Ends(code, count, round(100 * count / counts[0][1])) for code, count in counts]
