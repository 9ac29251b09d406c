"""What the queue's tasks do. A task is a wake-up: which run is next, the database says."""

from __future__ import annotations

import logging

from django.db import Error

from runs import waking
from runs.work import execution

logger = logging.getLogger(__name__)


def wake_up() -> bool:
    """Answer the oldest waiting run; False when a late or second wake-up finds nothing to do.

    One run a task: the cluster's timeout is meant for one. A wake-up that came while all places were taken
    is spent, so whoever leaves a place wakes somebody for the next run.
    """
    try:
        worked = execution.run_next()
        if worked:
            waking.wake_if_needed()
    except Error as error:
        # The run still waits, and the supervisor sweeps: a failed task would only be kept for nobody.
        logger.warning("wake-up: %s", error)
        return False
    return worked
