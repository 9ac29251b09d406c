"""The sign of life of a run at work, and the ear for what must end it."""

from __future__ import annotations

import logging
import threading
from types import TracebackType

from django.conf import settings
from django.db import Error, connection

from dofpilot.agent.errors import FailureCode
from runs import lifecycle
from runs.lifecycle import Lease, LeaseLost
from runs.work.storing import drop_connection

logger = logging.getLogger(__name__)


class Pulse:
    """Renews a lease from a thread while its run works, and learns there that the run must stop."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._stop: FailureCode | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="pulse", daemon=True)

    def __enter__(self) -> Pulse:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join(timeout=5)

    def reason(self) -> FailureCode | None:
        """Why the run must stop now; ``None`` while it may go on."""
        return self._stop

    def _beat(self) -> None:
        # A cancel must be felt within a second; a lease needs far fewer beats than that.
        period = min(1.0, settings.LEASE_SECONDS / 4)
        try:
            while self._stop is not FailureCode.INTERRUPTED and not self._done.wait(period):
                self._beat_once()
        finally:
            connection.close()

    def _beat_once(self) -> None:
        try:
            if lifecycle.beat(self._lease):
                self._stop = FailureCode.CANCELLED
        except LeaseLost:
            self._stop = FailureCode.INTERRUPTED
        except Error as error:
            # A locked or restarting database: the next beat may come through before the lease expires.
            logger.warning("run %s: no heartbeat: %s", self._lease.run.pk, error)
            drop_connection()
