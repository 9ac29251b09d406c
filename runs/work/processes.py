"""Child processes in groups of their own, which end when told to and when their parent does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.conf import settings

from runs.work.lifeline import VARIABLE


class Group:
    """One child and all that it starts, in a session of its own with a lifeline to this process."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str] | None = None) -> None:
        reading, self._writing = os.pipe()
        os.set_inheritable(reading, True)
        self._child = subprocess.Popen(  # noqa: S603
            arguments,
            env={**os.environ, **(environment or {}), VARIABLE: str(reading)},
            # ``python -m daphne`` finds the project through its working directory.
            cwd=settings.BASE_DIR,
            pass_fds=(reading,),
            start_new_session=True,
        )
        os.close(reading)
        # At once: what is left of a cluster without its first process would go on taking runs.
        threading.Thread(target=self._follow, name="group", daemon=True).start()

    def exit_code(self) -> int | None:
        """``None`` while the child lives."""
        return self._child.poll()

    def terminate(self) -> None:
        """SIGTERM to the child alone, which ends the rest."""
        self._child.terminate()

    def stop(self, seconds: float) -> None:
        """``terminate``, then SIGKILL to whatever of the group is left after ``seconds``."""
        self.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(seconds)
        self.kill()

    def kill(self) -> None:
        """SIGKILL to the whole group, and take away what is left of it."""
        self._kill_group()
        self._child.wait()
        with contextlib.suppress(OSError):
            os.close(self._writing)

    def _follow(self) -> None:
        self._child.wait()
        self._kill_group()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)


class Stop:
    """Turns SIGTERM, SIGINT and SIGHUP into a flag that a loop can look at."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._ask)

    def _ask(self, *_: object) -> None:
        self.asked = True

    def wait(self, seconds: float) -> bool:
        """True as soon as a stop is asked for, False after ``seconds``."""
        until = time.monotonic() + seconds
        while not self.asked and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))
        return self.asked


class AlreadyRunning(Exception):
    """Another process holds this data directory; ``str(error)`` says which."""


@contextlib.contextmanager
def only_one(path: Path) -> Iterator[None]:
    """Hold the lock file ``path`` as long as this process lives. Raises ``AlreadyRunning``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "?"
            raise AlreadyRunning(f"el proceso {holder} ya trabaja en {path.parent}") from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def manage(*arguments: str) -> list[str]:
    """The command line of one of this project's own commands."""
    return [sys.executable, str(settings.BASE_DIR / "manage.py"), *arguments]
