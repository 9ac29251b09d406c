"""What the queue's tasks do. A task is a wake-up: which run is next, the database says."""

from __future__ import annotations

from runs import lifecycle, queue
from runs.waking import enqueue_wake_up
from runs.work import execution


def wake_up() -> bool:
    """Answer the oldest waiting run; False when a late or second wake-up finds nothing to do.

    One run a task: the cluster's timeout is meant for one.
    """
    return execution.run_next()


def sweep(worker: str, *, recover: bool) -> None:
    """Mend what a fault left: end runs whose worker is gone, and wake ``worker`` if runs wait for nobody.

    With ``recover`` it also ends what ``worker`` held before it was started again.
    """
    if recover:
        lifecycle.interrupt_held(worker)
    if queue.is_unattended(worker):
        enqueue_wake_up()
