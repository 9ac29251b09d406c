"""Which supervisors work, for people to see. The one writer of ``Worker``; nothing is decided by its rows."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from runs.models import Worker

# Several missed sweeps and a locked database are no absence yet.
SEEN_SECONDS = 60.0
KEPT = timedelta(days=1)


def began(name: str) -> None:
    """A supervisor starts. Rows of those that never came back, each under another name, go after a day."""
    Worker.objects.filter(seen_at__lt=Now() - KEPT).delete()
    Worker.objects.update_or_create(name=name, defaults={"started_at": Now(), "seen_at": Now()})


def seen(name: str) -> None:
    """It still works."""
    if not Worker.objects.filter(name=name).update(seen_at=Now()):
        began(name)


def gone(name: str) -> None:
    """It stops in order."""
    Worker.objects.filter(name=name).delete()


def working() -> list[Worker]:
    """Those seen lately, by the database's clock, which all machines share."""
    return [worker for worker in Worker.objects.annotate(now=Now()) if _is_lately(worker)]


def _is_lately(worker: Worker) -> bool:
    # Both ways: after a clock was set back, a worker that is gone must not count as seen for hours.
    age: timedelta = worker.now - worker.seen_at
    return abs(age.total_seconds()) <= SEEN_SECONDS
