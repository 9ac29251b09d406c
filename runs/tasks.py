"""What the queue's tasks do. A task is a wake-up: which run is next, the database says."""

from __future__ import annotations

from django.conf import settings
from django_q.tasks import async_task

from runs import execution, lifecycle, queue


def enqueue_wake_up() -> None:
    """Ask a worker to look at the queue. Inside a transaction it is rolled back with it (ORM broker)."""
    async_task("runs.tasks.wake_up")


def wake_up() -> bool:
    """Answer the oldest waiting run; False when a late or second wake-up finds nothing to do.

    One run a task: the cluster's timeout is meant for one.
    """
    return execution.run_next()


def sweep(worker: str, *, recover: bool) -> None:
    """Mend what a fault left: end runs whose worker is gone, and wake ``worker`` if runs wait for nobody.

    With ``recover`` it also ends what ``worker`` held before it was started again.
    """
    lifecycle.interrupt_expired(settings.LEASE_SECONDS, worker=worker if recover else None)
    if queue.seconds_unattended(worker) > 0:
        enqueue_wake_up()
