"""Told to stop, in every way, with the provider hung and the queue full; and frozen for a while."""

from __future__ import annotations

import contextlib
import os
import signal

import pytest

from tests.faults import cluster
from tests.faults.cluster import Role
from tests.waiting import wait_for

pytestmark = [pytest.mark.faults, pytest.mark.processes]

QUEUE_LIMIT = 4


def fill(make_scene, provider):
    """A run at work whose provider says nothing, and as many waiting as may."""
    scene = make_scene(people=QUEUE_LIMIT + 1, DOFPILOT_QUEUE_LIMIT=str(QUEUE_LIMIT))
    provider.hold(1)
    working = scene.ask(0)
    scene.wait_for_turn(working, 1)
    waiting = [scene.ask(person) for person in range(1, QUEUE_LIMIT)]
    refused = scene.submit(99, QUEUE_LIMIT)
    assert (refused.status, refused.body["code"]) == (503, "queue_full")
    assert int(refused.retry_after) >= 1
    return scene, working, waiting


def to_the_group(part, number):
    os.killpg(os.getpgid(part.pid), number)


def to_every_process(part, number):
    for pid in part.pids():
        # Some end as soon as others do.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


WAYS = {
    "SIGTERM": lambda part: part.signal(signal.SIGTERM),
    "SIGINT": lambda part: part.signal(signal.SIGINT),
    "SIGHUP": lambda part: part.signal(signal.SIGHUP),
    "SIGTERM to the group": lambda part: to_the_group(part, signal.SIGTERM),
    "SIGTERM to every process": lambda part: to_every_process(part, signal.SIGTERM),
    "SIGKILL": lambda part: part.signal(signal.SIGKILL),
}


@pytest.mark.parametrize("way", WAYS)
def test_it_is_gone_and_what_waited_is_answered_later(make_scene, provider, way):
    scene, working, waiting = fill(make_scene, provider)
    reader = scene.follow(working)
    worker = scene.fleet.workers[0]
    WAYS[way](worker)
    wait_for(lambda: not worker.pids(), 10)
    worker.wait()
    if way != "SIGKILL":
        assert scene.failure(working) == "interrupted"
        reader.wait()
    assert [scene.state(asked) for asked in waiting] == ["queued"] * len(waiting)
    provider.release()
    worker.start()
    for asked in waiting:
        scene.wait(asked, "succeeded")
    scene.check()


def test_a_second_signal_hurries_nothing_and_breaks_nothing(make_scene, provider):
    scene, working, _waiting = fill(make_scene, provider)
    worker = scene.fleet.workers[0]
    worker.signal(signal.SIGTERM)
    worker.signal(signal.SIGINT)
    assert worker.wait() == 0
    assert not worker.pids()
    assert scene.failure(working) == "interrupted"
    provider.release()
    worker.start()
    scene.check()


def test_a_reply_after_a_cancel_writes_nothing(scene, provider):
    provider.hold(2)
    asked = scene.ask()
    scene.follow(asked)
    scene.wait_for_turn(asked, 2)
    scene.cancel(asked)
    scene.wait(asked, "failed")
    before = scene.steps()
    provider.release()
    scene.check()
    assert scene.failure(asked) == "cancelled"
    assert scene.steps()[asked.key] == before[asked.key]


def test_a_worker_frozen_past_its_lease_writes_nothing_when_it_thaws(scene, provider):
    provider.hold(2)
    asked = scene.ask()
    scene.follow(asked)
    scene.wait_for_turn(asked, 2)
    frozen = cluster.find(scene.fleet.workers[0], Role.WORKER)
    os.kill(frozen, signal.SIGSTOP)
    scene.wait(asked, "failed")
    before = scene.steps()[asked.key]
    os.kill(frozen, signal.SIGCONT)
    provider.release()
    scene.check()
    assert scene.failure(asked) == "interrupted"
    assert scene.steps()[asked.key] == before


def test_a_second_supervisor_says_who_works_and_ends(scene, provider):
    second = scene.fleet.manage("agentworker", DOFPILOT_DATA_DIR=str(scene.fleet.workers[0].folder))
    assert second.returncode == 1
    assert f"el proceso {scene.fleet.workers[0].pid} ya trabaja" in second.stderr
    scene.check()
