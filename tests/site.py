"""A real site: ``manage.py up`` in processes, folder and port of its own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tests.databases import Database, new_database
from tests.http import Answer, call
from tests.waiting import free_port, wait_for

ROOT = Path(__file__).parents[1]
START_SECONDS, STOP_SECONDS = 60, 15


class Site:
    """``start`` returns when the site serves; ``output`` is all that it printed.

    It has a ``database`` of its own: an empty one unless one is given.
    """

    def __init__(self, folder: Path, database: Database | None = None, **environment: str) -> None:
        self.folder = folder
        self.database = database or new_database(folder, None)
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.output = ""
        self._process: subprocess.Popen[str] | None = None
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DOFPILOT_")},
            "DJANGO_SETTINGS_MODULE": "dofpilot.settings",
            "DATABASE_URL": self.database.url,
            "DOFPILOT_DATA_DIR": str(folder),
            "DOFPILOT_PORT": str(self.port),
            **environment,
        }

    def manage(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """One of the project's commands, to its end, on this site's data."""
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def begin(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """One of the project's commands, left running."""
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(command, env={**self.environment, **environment}, **quiet)

    def manage_on_terminal(self, *arguments: str) -> str:
        """One of the project's commands on a terminal of its own; all that it wrote there."""
        controller, terminal = os.openpty()
        command = [sys.executable, str(ROOT / "manage.py"), *arguments]
        environment = {**self.environment, "TERM": "xterm"}
        with subprocess.Popen(command, env=environment, stdout=terminal, stderr=terminal) as process:
            os.close(terminal)
            written = _read_all(controller)
        assert process.returncode == 0, written
        return written

    def start(self) -> Site:
        self.output = ""
        self._process = subprocess.Popen(
            [sys.executable, "-u", str(ROOT / "manage.py"), "up"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        wait_for(lambda: "Ctrl-C" in self.output or self._process.poll() is not None, START_SECONDS)
        assert self._process.poll() is None, self.output
        return self

    def stop(self) -> int:
        """Ctrl-C; returns the exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """SIGKILL to the parent; what it started must end by itself."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def processes(self) -> list[int]:
        """All living processes that work on this site's data."""
        mark = f"DOFPILOT_DATA_DIR={self.folder}\0".encode()
        known = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
        return [pid for pid in known if mark in _environment(pid)]

    @property
    def invitation(self) -> str:
        return re.search(r"Invitación\s+(\S+)", self.output)[1]

    @property
    def admin_password(self) -> str:
        return re.search(r"contraseña (\S+)", self.output)[1]

    def api(
        self, method: str, path: str, body: dict[str, Any] | None = None, token: str | None = None
    ) -> Answer:
        """One call of the JSON API with an invitation."""
        return call(method, f"{self.address}/api/v1{path}", body, token or self.invitation)

    def _read(self, process: subprocess.Popen[str]) -> None:
        for line in process.stdout:
            self.output += line


def _read_all(controller: int) -> str:
    written = b""
    # Linux answers EIO once the last writer has closed the terminal.
    with os.fdopen(controller, "rb", buffering=0) as terminal, contextlib.suppress(OSError):
        while block := terminal.read(4096):
            written += block
    return written.decode()


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
