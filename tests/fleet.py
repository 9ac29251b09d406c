"""Several web and worker processes on one database, each real and each to be stopped or killed by itself.

``Fleet(folder, web=2, workers=2, **environment)`` begins nothing. ``start()`` begins all and returns when
every web process serves. ``fleet.web[0]`` and ``fleet.workers[1]`` are parts: ``start()``, ``signal(number)``
(to its first process), ``kill()`` (SIGKILL to its first process alone), ``pids()`` (all that work for it),
``output``. ``fleet.stop()`` ends everything that is left, in order if it can.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tests.databases import Database
from tests.http import Answer, call
from tests.site import ROOT, STOP_SECONDS
from tests.waiting import free_port, wait_for

START_SECONDS = 60
CODE_INVITE = (
    "from dofpilot.access.invitations import invite\n"
    "for number in range({count}): print(invite(label=f'persona {{number}}')[1])"
)


class Part:
    """One of a fleet's own processes, with all that it starts. ``folder`` is its data directory."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.folder, self.output = folder, ""
        self._command = command
        self._environment = {**environment, "DOFPILOT_DATA_DIR": str(folder)}
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self._process = subprocess.Popen(
            self._command,
            env=self._environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def exit_code(self) -> int | None:
        """``None`` while its first process lives."""
        assert self._process is not None
        return self._process.poll()

    def signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, seconds: float = STOP_SECONDS) -> int:
        """Its exit code. Raises ``TimeoutExpired``."""
        assert self._process is not None
        return self._process.wait(seconds)

    def kill(self) -> None:
        """SIGKILL to its first process; what that started must end by itself."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def pids(self) -> list[int]:
        """All living processes of its own."""
        mark = f"DOFPILOT_DATA_DIR={self.folder}\0".encode()
        known = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
        return [pid for pid in known if mark in _environment(pid)]

    def end(self) -> None:
        """In order if it can, and whatever is left of it by SIGKILL."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)

    def _read(self, process: subprocess.Popen[str]) -> None:
        for line in process.stdout:
            self.output += line


class Web(Part):
    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        listen = ["-b", "127.0.0.1", "-p", str(self.port)]
        command = [sys.executable, "-m", "daphne", "-v", "0", *listen, "dofpilot.asgi:application"]
        super().__init__(command, folder, environment)

    def start(self) -> None:
        """Returns when it serves."""
        super().start()
        wait_for(self.serves, START_SECONDS)

    def serves(self) -> bool:
        assert self.exit_code() is None, self.output
        try:
            return call("GET", f"{self.address}/api/v1/health").status == 200
        except OSError:
            return False


class Fleet:
    """``data`` has the static files and is the first web process's directory."""

    def __init__(
        self, data: Path, database: Database, *, web: int = 2, workers: int = 2, **environment: str
    ) -> None:
        self.database = database
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DOFPILOT_")},
            "DJANGO_SETTINGS_MODULE": "dofpilot.settings",
            "DATABASE_URL": database.url,
            # One for all: sessions and wake-ups are signed with it.
            "DOFPILOT_SECRET_KEY": "llave de las pruebas, la misma en cada parte " * 2,
            **environment,
        }
        self._data = data
        work = [sys.executable, "-u", str(ROOT / "manage.py"), "agentworker"]
        # Web processes write nothing to their directory and share the static files in it.
        self.web = [Web(data, self._environment) for _ in range(web)]
        beside = data.parent
        self.workers = [
            Part(work, beside / f"{data.name}-worker{number}", self._environment) for number in range(workers)
        ]

    def start(self) -> Fleet:
        for part in [*self.workers, *self.web]:
            part.start()
        return self

    def stop(self) -> None:
        for part in [*self.web, *self.workers]:
            part.end()

    def pids(self) -> list[int]:
        """All living processes of the fleet."""
        return sorted({pid for part in [*self.web, *self.workers] for pid in part.pids()})

    def manage(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """One of the project's commands, to its end, on the fleet's database."""
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env={**self._environment, "DOFPILOT_DATA_DIR": str(self._data), **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def invite(self, count: int) -> list[str]:
        """Tokens of as many people."""
        done = self.manage("shell", "-v", "0", "-c", CODE_INVITE.format(count=count))
        assert done.returncode == 0, done.stderr
        return [word for word in done.stdout.split() if word.startswith("dof_")]

    def api(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, token: str, web: int = 0
    ) -> Answer:
        """One call of the JSON API of one of the web processes."""
        return call(method, f"{self.web[web].address}/api/v1{path}", body, token)


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
