"""PostgreSQL and Redis themselves stop, start again, or are killed: servers of this test's own."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis

from tests.databases import PostgreSQL as Database
from tests.faults.conftest import QUICK
from tests.faults.scene import Asked, Scene
from tests.fleet import Fleet
from tests.services import PostgreSQL, Redis, both, create_database
from tests.site import ROOT, Site
from tests.waiting import wait_for

PAGES = 250

pytestmark = [pytest.mark.faults, pytest.mark.processes]


@pytest.fixture
def servers() -> Iterator[tuple[PostgreSQL, Redis]]:
    with both() as started:
        yield started


@pytest.fixture
def empty(servers, tmp_path: Path) -> Site:
    """A site on the PostgreSQL, with nobody in it and nothing at work."""
    made = Site(tmp_path / "var", Database(create_database(servers[0].url(), "site")))
    for command in (["migrate"], ["collectstatic", "--noinput"]):
        done = made.manage(*command, "-v", "0")
        assert done.returncode == 0, done.stderr
    return made


@pytest.fixture
def scene(servers, provider, empty: Site, sample_corpus: Path) -> Iterator[Scene]:
    """Two web processes and two workers."""
    chosen = {"DOFPILOT_CORPUS": str(sample_corpus), "DOFPILOT_PACE": "0", "REDIS_URL": servers[1].url}
    fleet = Fleet(empty.folder, empty.database, **{**provider.environment, **QUICK, **chosen})
    try:
        yield Scene(fleet.start(), provider, 2)
    finally:
        fleet.stop()


@pytest.mark.parametrize("way", ["stop", "kill"])
def test_postgresql_restarts_in_the_middle_of_a_run(scene, provider, servers, way):
    provider.hold(2)
    asked = scene.ask()
    scene.follow(asked, web=1)
    scene.wait_for_turn(asked, 2)
    getattr(servers[0], way)()
    provider.release()
    servers[0].start()
    scene.check()
    # Its writes were tried again, so it was not even interrupted.
    assert scene.state(asked) == "succeeded"


def test_postgresql_restarts_while_nobody_works(scene, servers):
    servers[0].restart()
    for person in range(2):
        scene.follow(scene.ask(person), web=person)
    scene.check()


def test_redis_stops_and_starts_in_the_middle_of_a_run(scene, provider, servers):
    provider.hold(2)
    asked, waiting = scene.ask(0), scene.ask(1)
    readers = [scene.follow(asked), scene.follow(waiting, web=1)]
    scene.wait_for_turn(asked, 2)
    servers[1].stop()
    provider.release()
    # Without it what is pushed is lost, and the record is read instead.
    scene.wait(asked, "succeeded")
    wait_for(lambda: readers[0].ended, 60)
    servers[1].start()
    scene.check(web=1)


def test_without_redis_questions_are_answered_too(scene, servers):
    servers[1].stop()
    scene.follow(scene.ask())
    scene.check()


def test_a_redis_that_answers_nothing_holds_up_nobody(scene, provider, servers):
    provider.hold(2)
    asked = scene.ask()
    scene.follow(asked, web=1)
    scene.wait_for_turn(asked, 2)
    servers[1].pause()
    provider.release()
    scene.follow(scene.ask(1, web=1))
    for one in scene.asked:
        scene.wait(one, "succeeded")
    servers[1].resume()
    scene.check(web=1)


def test_more_pages_than_connections_can_come_back_at_once(scene, provider):
    """As after a restart of the site: PostgreSQL takes a hundred connections."""
    provider.hold(2)
    asked = scene.ask()
    scene.wait_for_turn(asked, 2)
    with ThreadPoolExecutor(PAGES) as readers:
        firsts = list(readers.map(lambda _: _first_step(scene, asked), range(PAGES)))
    assert firsts == [b"id: 1\n"] * PAGES
    provider.release()
    scene.check()


def _first_step(scene: Scene, asked: Asked) -> bytes:
    address = f"{scene.fleet.web[0].address}/api/v1/runs/{asked.run_id}/events"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {asked.token}"})
    with urllib.request.urlopen(request, timeout=60) as stream:
        return next(line for line in stream if line.startswith(b"id: "))


def test_streams_that_ended_leave_nothing_in_redis(scene, servers, provider):
    ended = scene.ask(0)
    scene.wait(ended, "succeeded")
    provider.hold(2)
    working = scene.ask(0)
    scene.wait_for_turn(working, 2)
    client = redis.Redis.from_url(servers[1].url)
    before = len(client.pubsub_channels())
    # Until its end, closed before it, and of a run that is over already.
    readers = [scene.follow(working, web=0) for _ in range(5)]
    for _ in range(5):
        _first_step(scene, working)
        _first_step(scene, ended)
    wait_for(lambda: len(client.pubsub_channels()) > before, 10)
    provider.release()
    for reader in readers:
        reader.wait()
    wait_for(lambda: len(client.pubsub_channels()) == before, 30)
    scene.check()


def test_a_step_committed_after_a_later_one_is_told_and_told_once(empty):
    command = [sys.executable, "-m", "tests.faults.late_commit"]
    done = subprocess.run(
        command, cwd=ROOT, env=empty.environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["berta"], ["ana"], []]
