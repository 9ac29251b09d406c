"""What a run needs is gone for a while: the database's lock, a wake-up, the corpus."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from pathlib import Path

import pytest

from tests.faults import cluster
from tests.faults.cluster import Role
from tests.waiting import wait_for

pytestmark = [pytest.mark.faults, pytest.mark.processes]

LOCKED_SECONDS = 20.0


def test_the_database_locked_for_twenty_seconds(make_scene, provider):
    scene = make_scene(DOFPILOT_LEASE_SECONDS="10")
    provider.hold(2)
    asked = scene.ask()
    scene.follow(asked)
    scene.wait_for_turn(asked, 2)
    with scene.fleet.database.locked():
        provider.release()
        # Not a wait for something: the fault itself lasts so long.
        threading.Event().wait(LOCKED_SECONDS)
    scene.check()
    # While nobody could beat, silence meant nothing.
    assert scene.state(asked) == "succeeded"


def test_a_lost_wake_up(scene):
    (worker,) = scene.fleet.workers
    worker.signal(signal.SIGTERM)
    worker.wait()
    waiting = [scene.ask(0), scene.ask(1)]
    # While nobody is there who could have them already.
    scene.fleet.database.execute("DELETE FROM django_q_ormq")
    worker.start()
    for asked in waiting:
        scene.wait(asked, "succeeded")
    scene.check()


def test_wake_ups_that_come_many_times(make_scene, provider):
    scene = make_scene(workers=2, DOFPILOT_MODEL_CONCURRENCY="2")
    enqueue = "from runs.waking import enqueue_wake_up\nfor _ in range(30): enqueue_wake_up()"
    provider.hold(2)
    for person in range(2):
        scene.follow(scene.ask(person))
    done = scene.fleet.manage("shell", "-v", "0", "-c", enqueue)
    assert done.returncode == 0, done.stderr
    provider.release()
    scene.check()


def test_a_corpus_that_vanished(make_scene, provider, tmp_path, sample_corpus):
    corpus = Path(shutil.copytree(sample_corpus, tmp_path / "acervo"))
    scene = make_scene(DOFPILOT_CORPUS=str(corpus))
    provider.hold(2)
    asked = scene.ask(0)
    scene.wait_for_turn(asked, 2)
    away = corpus.rename(tmp_path / "lejos")
    provider.release()
    # What was open stays so: that run ends as if nothing had been.
    scene.wait(asked, "succeeded")
    before = cluster.find(scene.fleet.workers[0], Role.WORKER)
    os.kill(cluster.find(scene.fleet.workers[0], Role.MAIN), signal.SIGKILL)
    wait_for(lambda: before not in scene.fleet.pids())
    following = scene.ask(1)
    scene.follow(following)
    scene.wait(following, "failed")
    assert scene.failure(following) == "corpus_unavailable"
    away.rename(corpus)
    scene.check()
