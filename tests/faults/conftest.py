"""A fleet with a provider that counts, for each fault."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.databases import SERVER
from tests.faults.provider import Provider
from tests.faults.scene import Scene

# A worker that is gone is missed soon, and a held reply is not waited for by a run's own deadlines.
QUICK = {"DOFPILOT_LEASE_SECONDS": "4", "DOFPILOT_RUNS_PER_HOUR": "500", "DOFPILOT_PROBE_SECONDS": "0"}


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as playing:
        yield playing


@pytest.fixture
def make_scene(make_fleet, provider) -> Iterator[Callable[..., Scene]]:
    """A started fleet: one web process and one worker unless told otherwise, and two people who ask."""
    made: list[Scene] = []

    def make(*, web: int = 1, workers: int = 1, people: int = 2, **environment: str) -> Scene:
        fleet = make_fleet(web=web, workers=workers, **{**provider.environment, **QUICK, **environment})
        made.append(Scene(fleet.start(), provider, people))
        return made[-1]

    yield make
    for scene in made:
        for reader in scene.readers:
            reader.leave()


@pytest.fixture
def scene(make_scene) -> Scene:
    return make_scene()


# What only one of the two databases can suffer.
collect_ignore = ["test_full_disk.py"] if SERVER else ["test_servers.py", "test_services.py"]
