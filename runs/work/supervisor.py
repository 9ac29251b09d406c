"""Keeps one django-q2 cluster working on this machine, and stops it in bounded time.

django-q2 alone waits without bound on SIGTERM, leaves children behind when its main process is killed,
and wedges when its only worker dies idle (DESIGN §3). So the cluster is a process group that is killed
and started again, which costs nothing: the runs tables are the queue, a task is only a wake-up.

The loop here waits for nothing but signals and its cluster; all that may take its time is an errand.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from django.conf import settings

from runs import provider_health
from runs.work.errands import Duty, Errand
from runs.work.processes import Group, Stop, manage, only_one
from runs.work.silence import sweep_seconds
from runs.work.upkeep import Upkeep

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
# ``up`` and service managers wait longer than this before they kill.
LEAVE_SECONDS = 3.0
RESTART_PAUSE, LONGEST_PAUSE = 1.0, 30.0
STEADY_SECONDS = 60.0
NAME_MAX = 200


def supervise(stop: Stop) -> None:
    """Run the cluster until ``stop``. Raises ``AlreadyRunning``."""
    with only_one(Path(settings.DATA_DIR) / "agentworker.lock"):
        _Supervisor(machine_name(), stop).run()


def machine_name() -> str:
    """Names what works here over restarts: whatever it held before it starts, nobody works on."""
    host, folder = socket.gethostname()[:64], str(Path(settings.DATA_DIR).resolve())
    return f"{host}:{folder[-(NAME_MAX - 65) :]}"


class _Supervisor:
    def __init__(self, worker: str, stop: Stop) -> None:
        self._worker, self._stop = worker, stop
        self._upkeep = Upkeep(worker)
        self._pause = RESTART_PAUSE
        self._duties = [Duty(self._upkeep.sweep, sweep_seconds())]
        if settings.PROBE_SECONDS:
            self._duties.append(Duty(provider_health.probe, settings.PROBE_SECONDS))

    def run(self) -> None:
        while self._recover():
            self._run_cluster()
        Errand(self._upkeep.leave).wait(LEAVE_SECONDS)

    def _recover(self) -> bool:
        """Nothing is left as at work here, so a cluster may start; False when told to stop before."""
        while not self._stop.asked:
            if self._done(self._upkeep.recover):
                return True
            # Without its database a cluster could do nothing, and what it took would be ended by this.
            self._stop.wait(RESTART_PAUSE)
        return False

    def _done(self, job: Callable[[], object]) -> bool:
        errand = Errand(job)
        while not errand.is_done() and not self._stop.asked:
            errand.wait(0.1)
        return errand.succeeded

    def _run_cluster(self) -> None:
        """One cluster, from its start to its end, whichever way it ends."""
        started = monotonic()
        cluster = Group(manage("qcluster"), {"DOFPILOT_WORKER": self._worker})
        try:
            self._watch(cluster)
        finally:
            cluster.kill()
        if not self._stop.asked:
            self._rest(cluster.exit_code(), monotonic() - started)

    def _watch(self, cluster: Group) -> None:
        while not self._stop.wait(LOOK_SECONDS) and cluster.exit_code() is None:
            for duty in self._duties:
                duty.see_to_it()
            if self._upkeep.is_wedged:
                logger.warning("the cluster does not take the runs that wait; it is started again")
                return

    def _rest(self, code: int | None, lived: float) -> None:
        """Longer each time while clusters end as soon as they start."""
        self._pause = RESTART_PAUSE if lived > STEADY_SECONDS else self._pause
        told = "the cluster ended (code %s) after %.0f s; another starts in %.0f s"
        logger.warning(told, code, lived, self._pause)
        self._stop.wait(self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
