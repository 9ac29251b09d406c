"""No room for what a run wants to store. SQLite alone: PostgreSQL keeps its files elsewhere."""

from __future__ import annotations

import resource

import pytest

from tests.faults import cluster
from tests.faults.cluster import Role
from tests.waiting import wait_for

pytestmark = [pytest.mark.faults, pytest.mark.processes]

UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


@pytest.mark.parametrize("comes_back", [True, False], ids=["for a moment", "for longer than a lease"])
def test_the_disk_is_full_while_steps_are_stored(scene, provider, comes_back):
    provider.hold(2)
    asked = scene.ask()
    scene.follow(asked)
    scene.wait_for_turn(asked, 2)
    worker = cluster.find(scene.fleet.workers[0], Role.WORKER)
    log = scene.fleet.workers[0]
    # What the disk has no room for, the system refuses in the same place: beyond the write-ahead log's start.
    resource.prlimit(worker, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
    provider.release()
    wait_for(lambda: "disk" in log.output or "full" in log.output)
    if not comes_back:
        wait_for(lambda: scene.state(asked) == "failed", 60)
    resource.prlimit(worker, resource.RLIMIT_FSIZE, UNLIMITED)
    scene.check()
