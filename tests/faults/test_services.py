"""The servers of these tests, and what the tests started, end with whoever began them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from tests.site import ROOT
from tests.waiting import wait_for

pytestmark = [pytest.mark.faults, pytest.mark.processes]

# Writes its servers' addresses and waits; says how it ended.
COMMAND = """
import os, pathlib, sys, time
told = pathlib.Path(sys.argv[1])
try:
    told.with_suffix(".new").write_text(os.environ["DATABASE_URL"] + " " + os.environ["REDIS_URL"])
    told.with_suffix(".new").rename(told)
    time.sleep(600)
finally:
    told.with_suffix(".ended").touch()
"""


class Begun:
    """``python -m tests.services`` with a command at work under it, as a shell's ``&`` begins it."""

    def __init__(self, told: Path) -> None:
        arguments = ["tests.services", "--", sys.executable, "-c", COMMAND, str(told)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_ignore_like_a_shell,
        )
        self.ended = told.with_suffix(".ended")
        wait_for(told.exists, 60)
        self.database, self.redis = told.read_text().split()

    def answers(self) -> list[str]:
        """The servers that are there."""
        found = []
        for address, connect in ((self.database, psycopg.connect), (self.redis, _ping)):
            try:
                connect(address).close()
            except (psycopg.OperationalError, redis.RedisError):
                continue
            found.append(address)
        return found


def _ignore_like_a_shell() -> None:
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def _ping(address: str) -> redis.Redis:
    client = redis.Redis.from_url(address, socket_timeout=2)
    client.ping()
    return client


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[[], Begun]]:
    made: list[Begun] = []

    def begin() -> Begun:
        made.append(Begun(tmp_path / "told"))
        return made[-1]

    yield begin
    for begun in made:
        begun.process.kill()
        begun.process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_stopped_suite_ends_in_order_and_its_servers_after_it(begin, number):
    begun = begin()
    assert len(begun.answers()) == 2
    os.killpg(begun.process.pid, number)
    assert begun.process.wait(60) == 128 + number
    assert begun.ended.exists()
    assert begun.answers() == []


def test_nothing_outlives_a_killed_suite(begin):
    begun = begin()
    assert len(begun.answers()) == 2
    begun.process.kill()
    wait_for(lambda: begun.answers() == [] and begun.ended.exists(), 60)
