"""Which runs at work give no sign of life, by this process's own clock.

No two machines' clocks are compared, and none that somebody may set: what counts is for how long a claim's
heartbeat is seen *unchanged*. While nobody could beat, silence means nothing: a look that failed or came
late (a locked database, a machine put to sleep) starts the count again.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Hashable, Iterable
from datetime import datetime
from typing import Generic, TypeVar

from django.conf import settings
from django.db import transaction

from runs import lifecycle
from runs.models import Claim

K = TypeVar("K", bound=Hashable)
Beat = tuple[uuid.UUID, datetime]

SWEEP_SECONDS = 5.0


def sweep_seconds() -> float:
    """Often enough that three missed looks are half a lease."""
    return min(SWEEP_SECONDS, settings.LEASE_SECONDS / 6)


class Unchanged(Generic[K]):
    """For how long each of what ``read`` gives has been there at every look."""

    def __init__(self, read: Callable[[], Iterable[K]], clock: Callable[[], float] = time.monotonic) -> None:
        self._read, self._clock = read, clock
        self._looked: float | None = None
        self._since: dict[K, float] = {}

    def look(self) -> dict[K, float]:
        """What is there now -> seconds. Raises what ``read`` raises, and has then forgotten all."""
        before = self._looked
        self.forget()
        there = self._read()
        now = self._clock()
        if before is None or now - before > 3 * sweep_seconds():
            self._since = {}
        self._since = {one: self._since.get(one, now) for one in there}
        self._looked = now
        return {one: now - since for one, since in self._since.items()}

    def forget(self) -> None:
        """Begin anew at the next look."""
        self._looked = None


class Silence:
    """Ends the runs whose worker has been silent for a lease."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._beats = Unchanged(_beats, clock)

    def end(self) -> int:
        """Look, and end what has been silent too long; returns how many runs. Raises database errors."""
        seen = self._beats.look()
        silent = dict(beat for beat, seconds in seen.items() if seconds >= settings.LEASE_SECONDS)
        return lifecycle.interrupt_silent(silent) if silent else 0


def _beats() -> list[Beat]:
    # In a transaction that could write: where nobody can beat, because SQLite's file is locked, the look
    # waits too, and comes late or fails.
    with transaction.atomic():
        at_work = Claim.objects.filter(token__isnull=False)
        return list(at_work.values_list("token", "heartbeat_at"))
