"""Writes of a run at work that outlive a database which restarts, is locked or has no space for a while."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)

T = TypeVar("T")
Write = Callable[[bool], T]
"""Told whether an earlier try may have been committed although its answer was lost."""

# A lost connection, a server that starts, a locked file, a full disk: all of them may pass.
AWAY = (OperationalError, InterfaceError)
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 2.0


def patiently(write: Write[T]) -> T:
    """Try ``write`` again while the database is away, for as long as a silent worker keeps its run.

    Raises the last of ``AWAY`` then, and whatever else ``write`` raises at once.
    """
    until = monotonic() + settings.LEASE_SECONDS
    repeated = False
    for pause in _pauses():
        try:
            return write(repeated)
        except AWAY as error:
            if monotonic() + pause > until:
                raise
            logger.warning("the database is away, tried again in %.1f s: %s", pause, error)
        drop_connection()
        sleep(pause)
        repeated = True
    raise AssertionError("the pauses have no end")


def once(write: Write[T]) -> T:
    """For a process that is about to end, or has been patient already."""
    return write(False)


def drop_connection() -> None:
    """After a fault: Django would keep a dead connection. A transaction around this is another's to end."""
    if not connection.in_atomic_block:
        connection.close()


def _pauses() -> Iterator[float]:
    pause = FIRST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE)
