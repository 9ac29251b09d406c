"""Fleets outside of pytest, made from nothing in a folder of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.databases import new_database
from tests.faults.provider import Provider
from tests.faults.scene import Scene
from tests.fleet import Fleet
from tests.site import Site

MANY = {"DOFPILOT_RUNS_PER_HOUR": "1000", "DOFPILOT_QUEUE_LIMIT": "1000", "DOFPILOT_PROBE_SECONDS": "0"}


@contextmanager
def scene(
    folder: Path, corpus: Path, *, people: int, web: int = 1, workers: int = 1, **environment: str
) -> Iterator[Scene]:
    """A started fleet whose provider counts, on the database that the environment chooses."""
    site = Site(folder, new_database(folder, None))
    for command in (["migrate"], ["collectstatic", "--noinput"]):
        done = site.manage(*command, "-v", "0")
        assert done.returncode == 0, done.stderr
    with Provider() as provider:
        chosen = {**MANY, **provider.environment, "DOFPILOT_CORPUS": str(corpus), **environment}
        fleet = Fleet(site.folder, site.database, web=web, workers=workers, **chosen)
        try:
            yield Scene(fleet.start(), provider, people)
        finally:
            fleet.stop()
