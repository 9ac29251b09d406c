"""Keeps one django-q2 cluster working on this machine, and stops it in bounded time.

django-q2 alone waits without bound on SIGTERM, leaves children behind when its main process is killed,
and wedges when its only worker dies idle (DESIGN §3). So the cluster is a process group that is killed
and started again, which costs nothing: the runs tables are the queue, a task is only a wake-up.
"""

from __future__ import annotations

import fcntl
import logging
import os
import socket
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import Error, close_old_connections

from runs import tasks
from runs.processes import Group, Stop, manage

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
SWEEP_EVERY = 5  # looks
RESTART_PAUSE = 1.0


class AlreadyRunning(Exception):
    """Another supervisor holds this data directory; ``str(error)`` says which process."""


def supervise(stop: Stop) -> None:
    """Run the cluster until ``stop``. Raises ``AlreadyRunning``."""
    with _only_one(Path(settings.DATA_DIR) / "agentworker.lock"):
        worker = socket.gethostname()
        # Whatever a supervisor before this one held on this machine, nobody works on any more.
        tasks.sweep(worker)
        while not stop.asked:
            _run_cluster(worker, stop)
        tasks.sweep(worker)


def _run_cluster(worker: str, stop: Stop) -> None:
    cluster = Group(manage("qcluster"), {"DOFPILOT_WORKER": worker})
    looks = 0
    try:
        while not stop.wait(LOOK_SECONDS) and cluster.exit_code() is None:
            looks += 1
            if looks % SWEEP_EVERY == 0:
                _sweep()
    finally:
        cluster.kill()
    if not stop.asked:
        logger.warning("the cluster ended with code %s; starting another", cluster.exit_code())
        tasks.sweep(worker)
        stop.wait(RESTART_PAUSE)


def _sweep() -> None:
    try:
        tasks.sweep()
    except Error as error:
        # A locked or restarting database is no reason to stop: the next sweep tries again.
        logger.warning("sweep: %s", error)
    finally:
        close_old_connections()


def _only_one(path: Path) -> IO[str]:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.open("a+", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        holder = lock.read().strip() or "?"
        lock.close()
        raise AlreadyRunning(f"process {holder} already works on {path.parent}") from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock
