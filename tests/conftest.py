"""Fixtures that every room shares."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.utils import translation
from playwright.sync_api import Browser, sync_playwright

from dofpilot.corpus.building import builder
from tests.browser import launch
from tests.databases import new_database
from tests.fleet import Fleet
from tests.site import Site

SAMPLE_TREE = Path(__file__).parents[1] / "dofpilot" / "corpus" / "sample"


@pytest.fixture(scope="session")
def sample_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus, built once."""
    out = tmp_path_factory.mktemp("corpus") / "muestra"
    builder.build(SAMPLE_TREE, out, version="muestra")
    return out


@pytest.fixture
def loaded_corpus(settings, sample_corpus: Path) -> None:
    """This process has the sample corpus for its own."""
    settings.CORPUS = sample_corpus


@pytest.fixture(scope="session")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """An empty database and the static files, made once and copied by each site."""
    made = Site(tmp_path_factory.mktemp("data") / "var")
    for command in (["migrate"], ["collectstatic", "--noinput"]):
        done = made.manage(*command, "-v", "0")
        assert done.returncode == 0, done.stderr
    return made


@pytest.fixture
def make_site(tmp_path: Path, sample_corpus: Path, empty_site: Site) -> Iterator[Callable[..., Site]]:
    """Makes real sites with the sample corpus, in processes and folders of their own; not started yet."""
    made: list[Site] = []

    def make(**environment: str) -> Site:
        folder = tmp_path / f"var{len(made)}"
        shutil.copytree(empty_site.folder, folder)
        database = new_database(folder, empty_site.database.name)
        chosen = {"DOFPILOT_CORPUS": str(sample_corpus), "DOFPILOT_PACE": "0", **environment}
        made.append(Site(folder, database, **chosen))
        return made[-1]

    yield make
    for site in made:
        site.kill()


@pytest.fixture
def make_fleet(tmp_path: Path, sample_corpus: Path, empty_site: Site) -> Iterator[Callable[..., Fleet]]:
    """Makes several real web and worker processes on one database; not started yet."""
    made: list[Fleet] = []

    def make(*, web: int = 2, workers: int = 2, **environment: str) -> Fleet:
        data = tmp_path / f"fleet{len(made)}"
        shutil.copytree(empty_site.folder, data)
        database = new_database(data, empty_site.database.name)
        chosen = {"DOFPILOT_CORPUS": str(sample_corpus), "DOFPILOT_PACE": "0", **environment}
        made.append(Fleet(data, database, web=web, workers=workers, **chosen))
        return made[-1]

    yield make
    for fleet in made:
        fleet.stop()


@pytest.fixture
def site(make_site: Callable[..., Site]) -> Site:
    return make_site()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium for one module: while Playwright lives, its event loop keeps Django from the database, and
    a browser for the whole session would take it from every test that comes after."""
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(autouse=True)
def _spanish() -> Iterator[None]:
    # A request leaves its language active in the thread, for the next test to find.
    with translation.override("es-mx"):
        yield
