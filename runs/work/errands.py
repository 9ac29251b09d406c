"""Work with the database or the network beside a loop that must never wait for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.db import Error, connections

logger = logging.getLogger(__name__)


class Errand:
    """A job in a daemon thread of its own: a locked database or a hung server must not delay a stop."""

    def __init__(self, job: Callable[[], object]) -> None:
        self.succeeded = False
        self._job = job
        self._thread = threading.Thread(target=self._run, name=job.__name__, daemon=True)
        self._thread.start()

    def is_done(self) -> bool:
        return not self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        """Until it is done, but no longer than ``seconds``."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._job()
            self.succeeded = True
        except Error as error:
            # A locked or restarting database: it is done the next time.
            logger.warning("%s: %s", self._job.__name__, error)
        except Exception:
            # Nobody reads what a thread raises, and a bug here must not end the watch over the cluster.
            logger.exception("%s", self._job.__name__)
        finally:
            connections.close_all()


class Duty:
    """A job that is due every so many seconds; one that takes longer is not begun a second time."""

    def __init__(self, job: Callable[[], object], seconds: float) -> None:
        self._job, self._seconds = job, seconds
        self._begun: float | None = None
        self._errand: Errand | None = None

    def see_to_it(self) -> None:
        """Begin it if it is due."""
        now = time.monotonic()
        is_due = self._begun is None or now - self._begun >= self._seconds
        if is_due and (self._errand is None or self._errand.is_done()):
            self._begun, self._errand = now, Errand(self._job)
