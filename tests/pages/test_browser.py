"""What the scripts do, in a real Chromium that is given pages made beforehand: no server, no waiting."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Page, Route, expect

from dofpilot.agent.events import EventKind
from runs import lifecycle
from runs.live import frames
from runs.presentation.steps import render_step
from runs.public import public_step
from tests import cast
from tests.pages.made import result, step, turn, usage

pytestmark = pytest.mark.browser

SITE = "http://localhost:9"  # nothing listens there; a browser trusts it as it trusts https
STATIC = settings.BASE_DIR / "dofpilot" / "static"
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}


@pytest.fixture(scope="module", autouse=True)
def _database_beside_playwright() -> Iterator[None]:
    # Pages are made in the thread of the browser, whose idle event loop Django takes for a running one.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield


class Story:
    """A run told twice: as its page was while it worked, and as it is at the end."""

    def __init__(self, client: Client, evaluator: Any, ending: dict[str, Any]) -> None:
        lease = lifecycle.claim(cast.waiting_run(evaluator), "w")
        self.path = reverse("run", args=[lease.run.pk])
        self._append(lease, EventKind.AGENT_STARTED, "Empieza la investigación")
        self._append(lease, EventKind.TOOL_STARTED, "Busca documentos", step=1)
        self.working = client.get(self.path)
        self.later = [
            self._append(lease, EventKind.TOOL_COMPLETED, "Buscó documentos", step=1),
            self._append(lease, EventKind.TOOL_STARTED, "Lee pasajes", step=2),
            self._append(lease, EventKind.TOOL_COMPLETED, "Leyó pasajes", step=2),
        ]
        self.fragment = client.get(f"{self.path}/status?after=2")
        lifecycle.succeed(lease, ending)
        self.ended_fragment = client.get(f"{self.path}/status?after=5")
        self.finished = client.get(self.path)

    @staticmethod
    def _append(lease: lifecycle.Lease, kind: EventKind, message: str, **payload: Any) -> dict[str, Any]:
        return public_step(lifecycle.append(lease, step(kind, message, **payload)))

    def stream(self) -> bytes:
        """The later steps, one of them again after the step that took its place, and the end."""
        shown = [{**row, "html": render_step(row, "es-mx")} for row in self.later]
        sent = [frames.frame("progress", row, row["sequence"]) for row in (*shown, shown[1])]
        return b"".join([frames.opening(), *sent, frames.frame("terminal", {"status": "succeeded"})])


# Wide counts, as those of a long run with a model that reads much.
TURNS = [
    turn(number, input_tokens=1_234_567, output_tokens=98_765, cached_input_tokens=0, reasoning_tokens=0)
    for number in range(1, 9)
]
COUNTED = result(generative=True, usage=usage(*TURNS, input_tokens=9_876_536, output_tokens=790_120))
UNANSWERED = {**result(verification={"figures": []}, stop_reason="turn_limit"), "answer": None}


@pytest.fixture
def story(page, ana, request) -> Story:
    """A result of the test's choice, if it has one."""
    return Story(page, ana, getattr(request, "param", result()))


@pytest.fixture
def visit(browser: Browser, story: Story):
    """``visit(answers)`` opens the run's page; ``answers`` gives, by address, what comes back in turn."""
    contexts = []

    def open_page(answers: dict[str, list[Any]], viewport: dict[str, int] = WIDE, script: str = "") -> Page:
        context = browser.new_context(viewport=viewport, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(script or "0")
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda line: page.faults.append(line.text) if line.type == "error" else None)
        page.route(f"{SITE}/**", _answering(answers))
        page.goto(SITE + story.path)
        return page

    yield open_page
    for context in contexts:
        context.close()


def _answering(answers: dict[str, list[Any]]) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        if path.startswith("/static/"):
            file = STATIC / path.removeprefix("/static/")
            route.fulfill(body=file.read_bytes(), content_type=KINDS[Path(path).suffix])
            return
        queue = answers[path]
        response = queue.pop(0) if len(queue) > 1 else queue[0]
        if isinstance(response, bytes):
            route.fulfill(body=response, content_type="text/event-stream")
        else:
            route.fulfill(status=response.status_code, body=response.content, headers=dict(response.items()))

    return answer


def finished(story: Story) -> dict[str, list[Any]]:
    return {story.path: [story.finished]}


def test_steps_arrive_once_each_and_the_answer_takes_their_place(visit, story):
    page = visit(
        {story.path: [story.working, story.finished], f"{story.path}/events?after=2": [story.stream()]}
    )

    expect(page.locator(".answer-text")).to_be_visible()

    page.locator(".log-folded > summary").click()
    lines = page.locator("[data-log] .step [data-say]")
    expect(lines).to_have_text(["Empieza la investigación", "Buscó documentos", "Leyó pasajes"])
    expect(page.locator("[data-announcer]")).to_have_text("La respuesta está lista.")
    assert page.title().startswith("Respuesta · ")
    assert page.faults == []


def test_without_event_source_it_asks_for_the_status_again_and_again(visit, story):
    answers = {
        story.path: [story.working, story.finished],
        f"{story.path}/status?after=2": [story.fragment],
        f"{story.path}/status?after=5": [story.ended_fragment],
    }

    page = visit(answers, script="delete window.EventSource")

    expect(page.locator("[data-log] .step [data-say]").last).to_have_text("Leyó pasajes")
    expect(page.locator(".answer-text")).to_be_visible(timeout=10_000)
    assert page.faults == []


def test_a_citation_opens_its_passage_and_leaves_the_answer_in_view(visit, story):
    page = visit(finished(story))

    page.locator(".cite").nth(1).click()

    expect(page.locator("#fuente-2")).to_have_attribute("open", "")
    expect(page.locator("#pasaje-2")).to_be_in_viewport()
    expect(page.locator(".answer-text")).to_be_in_viewport()
    assert page.url == SITE + story.path


def test_on_a_phone_the_passage_comes_up_and_goes_away_again(visit, story):
    page = visit(finished(story), PHONE)
    cite = page.locator(".cite").nth(1)

    cite.click()
    expect(page.locator("#pasaje-2")).to_be_in_viewport()
    expect(cite).to_be_in_viewport()
    page.keyboard.press("Escape")

    expect(page.locator(".card.peek")).to_have_count(0)
    expect(page.locator("#pasaje-2")).not_to_be_in_viewport()


@pytest.mark.parametrize("story", [UNANSWERED], indirect=True, ids=["unanswered"])
def test_an_end_without_an_answer_is_told_as_that(visit, story):
    page = visit(
        {story.path: [story.working, story.finished], f"{story.path}/events?after=2": [story.stream()]}
    )

    expect(page.locator("[data-announcer]")).to_have_text("La investigación terminó sin respuesta.")
    assert page.title().startswith("Sin respuesta · ")
    assert page.faults == []


@pytest.mark.parametrize("story", [COUNTED], indirect=True, ids=["counted"])
@pytest.mark.parametrize("width", [320, 360, 390, 768, 1000, 1280])
def test_no_page_is_wider_than_its_screen(visit, story, width):
    page = visit(finished(story), {"width": width, "height": 700})

    for folded in page.locator("details:not([open]) > summary").all():
        if folded.is_visible():
            folded.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_policy_of_the_page_is_never_broken(visit, story):
    script = "addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective))"
    page = visit(
        {story.path: [story.working, story.finished], f"{story.path}/events?after=2": [story.stream()]},
        script=script,
    )

    expect(page.locator(".answer-text")).to_be_visible()
    page.locator(".cite").first.click()

    assert "script-src 'self'" in story.finished["Content-Security-Policy"]
    assert page.faults == []


def test_the_stream_carries_what_the_page_would_have_rendered(story):
    data = [
        json.loads(line[6:])
        for line in story.stream().decode().splitlines()
        if line.startswith('data: {"seq')
    ]

    assert [row["sequence"] for row in data] == [3, 4, 5, 4]
