"""Children that do not outlive their supervisor, even when it is killed with SIGKILL.

The supervisor keeps the writing end of a pipe; every child inherits the reading end. When the supervisor
is gone, whatever way, the read ends, and each child kills its whole process group.
"""

from __future__ import annotations

import os
import signal
import stat
import threading

VARIABLE = "DOFPILOT_LIFELINE"

_watched: int | None = None


def watch() -> None:
    """Start watching in this process, if it has a lifeline; a fork must call it again."""
    global _watched
    descriptor = os.environ.get(VARIABLE)
    if descriptor is None or _watched == os.getpid():
        return
    _watched = os.getpid()
    threading.Thread(target=_wait, args=(int(descriptor),), name="lifeline", daemon=True).start()


def _wait(descriptor: int) -> None:
    try:
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return
        os.read(descriptor, 1)
    except OSError:
        # The variable was inherited by somebody who was not given the pipe.
        return
    os.killpg(os.getpgrp(), signal.SIGKILL)
