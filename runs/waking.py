"""Wake-ups: a task says only that there may be something to do, the database says what."""

from __future__ import annotations

from django.utils import timezone
from django_q.models import OrmQ
from django_q.tasks import async_task

from runs import queue


def enqueue_wake_up() -> None:
    """Ask a worker to look at the queue. Inside a transaction it is rolled back with it (ORM broker)."""
    async_task("runs.work.tasks.wake_up")


def wake_if_needed() -> None:
    """Enqueue a wake-up if a run could be begun and no wake-up is there to be taken.

    One locked by a worker does not count: it may have been spent already. Nor one of the future, which a
    clock set back leaves behind.
    """
    if queue.can_begin() and not OrmQ.objects.filter(lock__lte=timezone.now()).exists():
        enqueue_wake_up()
