"""PostgreSQL and Redis of the tests' own: a temporary folder and a free loopback port for each.

``python -m tests.services -- COMMAND…`` runs a command on both (``DATABASE_URL``, ``REDIS_URL``) and ends
with its exit code; SIGTERM, SIGINT and SIGHUP reach the command as one SIGINT. The servers end with the
process that started them, whichever way it ends.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import psycopg.sql
import redis

from tests.waiting import free_port, wait_for

START_SECONDS = 60
# Without safety from power cuts, which no test is about. What was committed outlives a killed server.
QUICK = ("fsync=off", "max_connections=200", "shared_buffers=64MB")
PR_SET_PDEATHSIG = 1


class PostgreSQL:
    """``start`` returns when it answers; data stays over ``stop``, ``kill`` and ``restart``."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._data = folder / "postgresql"
        self._user = _other_than_root()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> PostgreSQL:
        if not self._data.exists():
            self._initialise()
        command = [_program("postgres"), "-D", str(self._data), "-p", str(self.port), "-h", "127.0.0.1"]
        # No socket in a folder of the system's: another server's may be there.
        for setting in ("unix_socket_directories=", *QUICK):
            command += ["-c", setting]
        self._process = _begin(command, self._data.parent / "postgresql.log", self._user, signal.SIGQUIT)
        wait_for(self._answers, START_SECONDS)
        return self

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://dofpilot@127.0.0.1:{self.port}/{database}"

    def stop(self) -> None:
        """In order, without waiting for its clients."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """As a power cut would: every process of it is gone, and the next start recovers."""
        self._end(signal.SIGQUIT)

    def restart(self) -> None:
        self.stop()
        self.start()

    def _initialise(self) -> None:
        self._data.mkdir(parents=True)
        if self._user:
            shutil.chown(self._data, self._user.pw_uid, self._user.pw_gid)
            self._data.parent.chmod(0o755)
        command = [_program("initdb"), "-D", str(self._data), "-U", "dofpilot", "-A", "trust", "-E", "UTF8"]
        made = subprocess.run(
            [*command, "--locale=C.UTF-8", "--no-sync"],
            **_as(self._user),
            cwd=self._data.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr

    def _answers(self) -> bool:
        assert self._process.poll() is None, (self._data.parent / "postgresql.log").read_text()
        try:
            psycopg.connect(self.url(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)
            self._process.wait(START_SECONDS)


class Redis:
    """Keeps nothing: what it carries are hints."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Redis:
        self._folder.mkdir(parents=True, exist_ok=True)
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""]
        command += ["--appendonly", "no", "--dir", str(self._folder)]
        # It handles no gentler signal that a shell's ``&`` does not ignore, and it has nothing to lose.
        self._process = _begin(command, self._folder / "redis.log", None, signal.SIGKILL)
        wait_for(self._answers, START_SECONDS)
        return self

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self.resume()
            self._process.wait(START_SECONDS)

    def restart(self) -> None:
        self.stop()
        self.start()

    def pause(self) -> None:
        """It keeps its connections, takes new ones and answers nothing until ``resume``."""
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        assert self._process.poll() is None, (self._folder / "redis.log").read_text()
        try:
            with redis.Redis(port=self.port, socket_timeout=2) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def create_database(url: str, name: str, template: str | None = None) -> str:
    """A new database ``name`` on the server of ``url``, as a copy of ``template``; its URL.

    Nobody may be connected to the template.
    """
    words = [psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name))]
    if template:
        words.append(psycopg.sql.SQL("TEMPLATE {}").format(psycopg.sql.Identifier(template)))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL(" ").join(words))
    return f"{url.rpartition('/')[0]}/{name}"


@contextmanager
def both() -> Iterator[tuple[PostgreSQL, Redis]]:
    """Both, started; gone with their data at the end."""
    with tempfile.TemporaryDirectory(prefix="dofpilot-services-", ignore_cleanup_errors=True) as name:
        servers = PostgreSQL(Path(name)), Redis(Path(name))
        try:
            for server in servers:
                server.start()
            yield servers
        finally:
            for server in servers:
                server.stop()


def _program(name: str) -> str:
    """PostgreSQL's own programs; Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=_version) or [shutil.which(name)]
    assert found[-1], f"PostgreSQL's {name} is missing (Debian: apt install postgresql)"
    return str(found[-1])


def _version(program: Path) -> int:
    return int(program.parents[1].name)


def _other_than_root() -> pwd.struct_passwd | None:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = {user.pw_name: user for user in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


def _as(user: pwd.struct_passwd | None) -> dict[str, int | list[int]]:
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}


def _begin(
    command: list[str], log: Path, user: pwd.struct_passwd | None, at_our_end: signal.Signals
) -> subprocess.Popen[bytes]:
    with log.open("ab") as written:
        return subprocess.Popen(
            command,
            **_as(user),
            cwd=log.parent,
            stdout=written,
            stderr=written,
            # Away from a terminal's Ctrl-C, which reaches whole groups.
            start_new_session=True,
            preexec_fn=_gets(at_our_end),
        )


def _gets(number: signal.Signals) -> Callable[[], None]:
    """For ``preexec_fn``: the process gets this signal when the one that began it has ended."""
    libc = ctypes.CDLL(None)

    def ask_for_it() -> None:
        libc.prctl(PR_SET_PDEATHSIG, number)

    return ask_for_it


def main(command: list[str]) -> int:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda came, _frame: sys.exit(128 + came))
    with both() as (postgresql, redis_server):
        chosen = {"DATABASE_URL": postgresql.url(), "REDIS_URL": redis_server.url}
        # A session of its own: Ctrl-C reaches it once, through us.
        begun = {"start_new_session": True, "preexec_fn": _gets(signal.SIGINT)}
        with subprocess.Popen(command, env={**os.environ, **chosen}, **begun) as child:
            try:
                return child.wait()
            except BaseException:
                # pytest ends its tests' processes at SIGINT; SIGTERM would leave them behind.
                child.send_signal(signal.SIGINT)
                raise


if __name__ == "__main__":
    sys.exit(main(sys.argv[sys.argv.index("--") + 1 :]))
