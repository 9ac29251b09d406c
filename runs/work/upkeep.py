"""What a supervisor mends in the database, at its start, every few seconds and at its end."""

from __future__ import annotations

import logging

from runs import lifecycle, presence, queue, waking
from runs.work.silence import Silence, Unchanged

logger = logging.getLogger(__name__)

# A run waits this long although its worker has nothing to do only when the cluster is deaf to wake-ups.
# On a busy machine one may only be slow to start, so each next one is given twice as long.
WEDGED_SECONDS, LONGEST_SECONDS = 15.0, 240.0


class Upkeep:
    """Everything here may wait for the database or raise its errors: call it through ``errands``."""

    def __init__(self, worker: str) -> None:
        self.is_wedged = False
        self._worker = worker
        self._silence = Silence()
        self._unattended = Unchanged(self._waiting)
        self._allowed = WEDGED_SECONDS

    def recover(self) -> None:
        """End what an earlier cluster of this worker held. Before the next one may hold anything."""
        ended = lifecycle.interrupt_held(self._worker)
        presence.began(self._worker)
        self.is_wedged = False
        self._unattended.forget()
        if ended:
            logger.warning("%d run(s) of an earlier cluster ended as interrupted", ended)

    def sweep(self) -> None:
        """End runs whose worker is gone, wherever it was; wake somebody up if runs wait for nobody."""
        presence.seen(self._worker)
        if ended := self._silence.end():
            logger.warning("%d run(s) ended: their worker gave no sign of life", ended)
        waking.wake_if_needed()
        self._look_for_wedges()

    def leave(self) -> None:
        """The cluster is gone and none follows."""
        lifecycle.interrupt_held(self._worker)
        presence.gone(self._worker)

    def _look_for_wedges(self) -> None:
        unattended = self._unattended.look()
        if not unattended:
            self._allowed = WEDGED_SECONDS
        self.is_wedged = any(seconds >= self._allowed for seconds in unattended.values())
        if self.is_wedged:
            self._allowed = min(2 * self._allowed, LONGEST_SECONDS)

    def _waiting(self) -> list[int]:
        claim = queue.unattended(self._worker)
        return [] if claim is None else [claim]
