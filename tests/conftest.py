"""Fixtures that every room shares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from dofpilot.corpus import builder
from tests.browser import launch
from tests.site import Site

SAMPLE_TREE = Path(__file__).parents[1] / "dofpilot" / "corpus" / "sample"


@pytest.fixture(scope="session")
def sample_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus, built once."""
    out = tmp_path_factory.mktemp("corpus") / "muestra"
    builder.build(SAMPLE_TREE, out, version="muestra")
    return out


@pytest.fixture
def site(tmp_path: Path, sample_corpus: Path) -> Iterator[Site]:
    """A real site with the sample corpus, in processes and a folder of its own; not started yet."""
    made = Site(tmp_path / "var", DOFPILOT_CORPUS=str(sample_corpus))
    yield made
    made.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's own Chromium, without a window."""
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()
