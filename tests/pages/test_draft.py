"""What was typed outlives looking, in a real Chromium, whether questions are let in again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page, Route, expect

from runs import pause

pytestmark = [pytest.mark.browser, pytest.mark.django_db]

SITE = "http://localhost:9"  # nothing listens there; a browser trusts it as it trusts https
SCRIPT = settings.BASE_DIR / "dofpilot" / "static" / "dofpilot" / "ask.js"
QUESTION = "¿Qué dice la NOM-035?"


@pytest.fixture(scope="module", autouse=True)
def _database_beside_playwright() -> Iterator[None]:
    # Pages are made in the thread of the browser, whose idle event loop Django takes for a running one.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def show(tab: Page, html: str) -> None:
    def answer(route: Route) -> None:
        if route.request.url.endswith("ask.js"):
            route.fulfill(path=SCRIPT, content_type="text/javascript")
        elif route.request.is_navigation_request():
            route.fulfill(body=html, content_type="text/html")
        else:
            route.abort()

    tab.unroute_all()
    tab.route("**/*", answer)
    tab.goto(f"{SITE}/")


def test_a_draft_is_kept_in_the_tab_while_paused_and_forgotten_once_it_can_be_sent(tab, page):
    pause.pause("Se actualiza el acervo", None)
    paused = page.get("/").content.decode()
    pause.resume(None)
    opened = page.get("/").content.decode()
    text, button = tab.locator("textarea"), tab.get_by_role("button", name="Preguntar")

    show(tab, paused)
    text.fill(QUESTION)
    expect(button).to_be_disabled()
    show(tab, paused)
    expect(text).to_have_value(QUESTION)
    show(tab, opened)

    expect(text).to_have_value(QUESTION)
    expect(button).to_be_enabled()
    assert tab.evaluate("sessionStorage.length") == 0


def test_a_draft_does_not_take_the_place_of_a_question_that_the_page_came_with(tab, page):
    pause.pause("Se actualiza el acervo", None)
    show(tab, page.get("/").content.decode())
    tab.locator("textarea").fill(QUESTION)
    show(tab, page.get("/", {"q": "¿Otra?"}).content.decode())
    expect(tab.locator("textarea")).to_have_value("¿Otra?")
