"""Who is signed in on the pages under test, and the browser that opens them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from playwright.sync_api import Browser, sync_playwright

from dofpilot.access.models import User
from tests import cast
from tests.browser import launch


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium for one module: while Playwright lives, its event loop keeps Django from the database, and
    a browser for the whole session would take it from every test that comes after."""
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def ana(db) -> User:
    return cast.asker("ana")


@pytest.fixture
def page(ana) -> Client:
    """The browser of ``ana``, in Spanish."""
    client = Client(headers={"accept-language": "es-mx"})
    client.force_login(ana)
    return client


@pytest.fixture
def loaded_corpus(settings, sample_corpus) -> None:
    settings.CORPUS = sample_corpus
