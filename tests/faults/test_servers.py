"""PostgreSQL and Redis themselves stop, start again, or are killed: servers of this test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.databases import PostgreSQL as Database
from tests.faults.conftest import QUICK
from tests.faults.scene import Scene
from tests.fleet import Fleet
from tests.services import PostgreSQL, Redis, both, create_database
from tests.site import Site
from tests.waiting import wait_for

pytestmark = [pytest.mark.faults, pytest.mark.processes]


@pytest.fixture
def servers() -> Iterator[tuple[PostgreSQL, Redis]]:
    with both() as started:
        yield started


@pytest.fixture
def scene(servers, provider, tmp_path: Path, sample_corpus: Path) -> Iterator[Scene]:
    """Two web processes and two workers."""
    postgresql, redis = servers
    made = Site(tmp_path / "var", Database(create_database(postgresql.url(), "site")))
    for command in (["migrate"], ["collectstatic", "--noinput"]):
        done = made.manage(*command, "-v", "0")
        assert done.returncode == 0, done.stderr
    chosen = {"DOFPILOT_CORPUS": str(sample_corpus), "DOFPILOT_PACE": "0", "REDIS_URL": redis.url}
    fleet = Fleet(made.folder, made.database, **{**provider.environment, **QUICK, **chosen})
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
