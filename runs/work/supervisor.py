"""Keeps one django-q2 cluster working on this machine, and stops it in bounded time.

django-q2 alone waits without bound on SIGTERM, leaves children behind when its main process is killed,
and wedges when its only worker dies idle (DESIGN §3). So the cluster is a process group that is killed
and started again, which costs nothing: the runs tables are the queue, a task is only a wake-up.
"""

from __future__ import annotations

import logging
import socket
import time
from pathlib import Path

from django.conf import settings
from django.db import Error, connections

from runs import queue
from runs.work import tasks
from runs.work.processes import Group, Stop, manage, only_one

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
SWEEP_SECONDS = 5.0
RESTART_PAUSE = 1.0
# A run waits this long while nobody works only when the cluster no longer hears its wake-ups.
WEDGED_SECONDS = 15.0


def supervise(stop: Stop) -> None:
    """Run the cluster until ``stop``. Raises ``AlreadyRunning``."""
    with only_one(Path(settings.DATA_DIR) / "agentworker.lock"):
        supervisor = _Supervisor(machine_name(), stop)
        while not stop.asked:
            supervisor.run_cluster()


def machine_name() -> str:
    """Names what works here over restarts: whatever it held before it starts, nobody works on."""
    return f"{socket.gethostname()}:{Path(settings.DATA_DIR).resolve()}"


class _Supervisor:
    def __init__(self, worker: str, stop: Stop) -> None:
        self._worker, self._stop = worker, stop
        self._recovered = False

    def run_cluster(self) -> None:
        """One cluster, from its start to its end, whichever way it ends."""
        self._recovered = False
        self._sweep()
        cluster = Group(manage("qcluster"), {"DOFPILOT_WORKER": self._worker})
        try:
            self._watch(cluster)
        finally:
            cluster.kill()
        if self._stop.asked:
            self._recovered = False
            self._sweep()
        else:
            logger.warning("the cluster ended (code %s); another is started", cluster.exit_code())
            self._stop.wait(RESTART_PAUSE)

    def _watch(self, cluster: Group) -> None:
        started = swept = time.monotonic()
        while not self._stop.wait(LOOK_SECONDS) and cluster.exit_code() is None:
            now = time.monotonic()
            if now - swept < SWEEP_SECONDS:
                continue
            swept = now
            self._sweep()
            if now - started > WEDGED_SECONDS and self._is_wedged():
                logger.warning("the cluster does not take the runs that wait; it is started again")
                return

    def _sweep(self) -> None:
        """Mend; the first time of a cluster also end what this machine held before it."""
        try:
            tasks.sweep(self._worker, recover=not self._recovered)
            self._recovered = True
        except Error as error:
            # A locked or restarting database is no reason to stop: the next sweep does it.
            logger.warning("sweep: %s", error)
        finally:
            connections.close_all()

    def _is_wedged(self) -> bool:
        try:
            return queue.seconds_unattended(self._worker) > WEDGED_SECONDS
        except Error:
            return False
        finally:
            connections.close_all()
