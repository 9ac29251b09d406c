"""Wake-ups: a task says only that there may be something to do, the database says what."""

from __future__ import annotations

from django_q.tasks import async_task


def enqueue_wake_up() -> None:
    """Ask a worker to look at the queue. Inside a transaction it is rolled back with it (ORM broker)."""
    async_task("runs.work.tasks.wake_up")
