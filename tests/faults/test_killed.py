"""``kill -9`` of each process: of a worker's, of the supervisor, of the site itself."""

from __future__ import annotations

import os
import signal

import pytest

from tests.faults import cluster
from tests.faults.cluster import Role
from tests.waiting import wait_for

pytestmark = [pytest.mark.faults, pytest.mark.processes]


@pytest.mark.parametrize("role", Role)
def test_a_process_of_the_cluster_in_the_middle_of_a_run(scene, provider, role):
    provider.hold(2)
    asked = scene.ask()
    scene.follow(asked)
    scene.wait_for_turn(asked, 2)
    os.kill(cluster.find(scene.fleet.workers[0], role), signal.SIGKILL)
    provider.release()
    scene.check()
    if role is Role.WORKER:
        assert scene.failure(asked) == "interrupted"


@pytest.mark.parametrize("role", Role)
def test_a_process_of_the_idle_cluster(scene, role):
    victim = cluster.find(scene.fleet.workers[0], role)
    os.kill(victim, signal.SIGKILL)
    wait_for(lambda: victim not in scene.fleet.pids())
    # One that was taken while its cluster fell apart ends as interrupted; whatever comes then is answered.
    scene.follow(scene.ask())
    scene.check()


def test_the_supervisor_in_the_middle_of_a_run(scene, provider):
    provider.hold(2)
    asked, waiting = scene.ask(0), scene.ask(1)
    scene.follow(asked)
    scene.follow(waiting)
    scene.wait_for_turn(asked, 2)
    supervisor = scene.fleet.workers[0]
    supervisor.kill()
    wait_for(lambda: not supervisor.pids())
    assert scene.state(waiting) == "queued"
    supervisor.start()
    scene.wait(asked, "failed")
    assert scene.failure(asked) == "interrupted"
    # What was said too late reaches nobody, and the run that waited is answered.
    provider.release()
    scene.wait(waiting, "succeeded")
    scene.check()


def test_a_supervisor_whose_runs_another_one_sees_end(make_scene, provider):
    scene = make_scene(workers=2)
    provider.hold(2)
    asked = scene.ask()
    scene.wait_for_turn(asked, 2)
    [(holder,)] = scene.fleet.database.rows("SELECT worker FROM runs_claim")
    (of_holder,) = [part for part in scene.fleet.workers if holder.endswith(part.folder.name)]
    of_holder.kill()
    scene.wait(asked, "failed")
    assert scene.failure(asked) == "interrupted"
    provider.release()
    scene.check()


def test_the_site_while_people_follow_a_run(make_scene, provider):
    scene = make_scene(web=2)
    provider.hold(3)
    asked = scene.ask()
    readers = [scene.follow(asked, web=web) for web in range(2)]
    scene.wait_for_turn(asked, 3)
    web = scene.fleet.web[0]
    web.kill()
    wait_for(lambda: readers[0].breaks > 0)
    provider.release()
    scene.wait(asked, "succeeded")
    web.start()
    scene.check()


def test_everything_at_once(scene, provider):
    provider.hold(2)
    asked, waiting = scene.ask(0), scene.ask(1)
    scene.wait_for_turn(asked, 2)
    for pid in scene.fleet.pids():
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not scene.fleet.pids())
    provider.release()
    scene.fleet.start()
    scene.wait(asked, "failed")
    scene.wait(waiting, "succeeded")
    scene.check()
