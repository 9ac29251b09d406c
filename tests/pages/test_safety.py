"""Nothing that people or documents write acts on a page, and no page has inline script or style."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from dofpilot.access.errors import server_error
from dofpilot.agent.events import EventKind
from feedback.models import Feedback, Rating
from runs import lifecycle
from tests import cast
from tests.pages.html import parse
from tests.pages.made import FIRST, SECOND, demand, passage, publication, result, step

ATTACK = (
    "</textarea><script>alert('x')</script><img src=x onerror=alert(1)> \"' onclick=alert(2) {{ 7|add:7 }}"
)


def hostile_remark(code):
    return {
        "code": code,
        "text": ATTACK,
        "values": {"requirement": [{"kind": "plan", "value": ATTACK, "text": ATTACK}]},
    }


def attacked_result():
    document = {**publication(1), "title": ATTACK, "institution": ATTACK, "path": ATTACK}
    hostile = {"title": ATTACK, "institution": ATTACK, "heading_path": [ATTACK]}
    return result(
        answer={
            "text": f"{ATTACK} [{FIRST}]\n- {ATTACK}",
            "citations": [FIRST],
            "rejected_citations": [{"id": ATTACK, "reason": "invalid"}],
        },
        evidence=[passage(FIRST, ATTACK, **hostile), passage(SECOND, ATTACK, **hostile)],
        documents=[{**document, "found": True, "read": True, "cited": True}],
        verification={"figures": []},
        warnings=[{"code": "x", "text": ATTACK, "values": {}}, hostile_remark("incomplete")],
        coverage={"required": [demand("plan", ATTACK, ATTACK, FIRST), demand("plan", ATTACK, ATTACK)]},
    )


@pytest.fixture
def runs(ana):
    """A finished, a failed and a running run, all with hostile text in every place that takes any."""
    finished = cast.finished_run(ana, attacked_result(), question=ATTACK)
    Feedback.objects.create(run=finished, evaluator=ana, rating=Rating.HELPFUL, comment=ATTACK)
    failed = cast.failed_run(ana, question=ATTACK)
    lease = lifecycle.claim(cast.waiting_run(ana, ATTACK), "w")
    excerpt = {
        "heading_path": [ATTACK],
        "excerpt": ATTACK,
        "standing": "read",
        **publication(1),
        "title": ATTACK,
    }
    lifecycle.append(
        lease,
        step(
            EventKind.TOOL_COMPLETED,
            ATTACK,
            step=1,
            say={"message": "Buscó documentos sobre «{query}»", "values": {"query": ATTACK}},
            documents=[{**publication(1), "title": ATTACK}],
            passages=[excerpt],
            headings=[[ATTACK]],
            reasons=[hostile_remark("x"), hostile_remark("not_covered")],
            error={"code": "x", "message": ATTACK},
        ),
    )
    return [finished, failed, lease.run]


def pages(client, runs):
    """Every page, as (address, document)."""
    paths = ["/", "/?q=" + ATTACK, "/login", "/privacy", "/nada", "/?page=2"]
    for run in runs:
        paths += [reverse(name, args=[run.pk]) for name in ("run", "run-status", "feedback")]
    found = [(path, parse(client.get(path).content)) for path in paths]
    wrong = client.post("/", {"question": ATTACK * 30, "as_of": ATTACK, "required_hops": ATTACK})
    return [*found, ("POST /", parse(wrong.content))]


@pytest.mark.parametrize("language", ["es-mx", "en"])
def test_no_page_has_anything_inline(page, runs, language):
    page.cookies["django_language"] = language
    for path, document in pages(page, runs):
        for node in document.all():
            assert node.tag != "style", path
            assert not [name for name in node.attributes if name == "style" or name.startswith("on")], (
                path,
                node,
            )
            if node.tag == "script":
                assert node.attributes.get("src"), path
                assert node.text == "", path


def test_hostile_text_is_shown_as_text(page, runs):
    for path, document in pages(page, runs):
        assert not document.all("img"), path
        sources = [script.attributes["src"] for script in document.all("script")]
        assert all("dofpilot/" in source for source in sources), path
    finished = parse(page.get(reverse("run", args=[runs[0].pk])).content)
    assert finished.one("h1").text == ATTACK
    assert ATTACK in finished.one(class_="answer-text").text


def test_links_that_leave_the_site_do_not_tell_or_hand_over_anything(page, runs):
    for path, document in pages(page, runs):
        for link in document.all("a"):
            if (link.attributes.get("href") or "").startswith("http"):
                assert "noopener" in (link.attributes["rel"] or ""), path


@pytest.mark.parametrize("name", ["400", "403", "404", "413", "500"])
@pytest.mark.parametrize("language", ["es-mx", "en"])
def test_each_error_page_tells_what_happened_what_was_kept_and_what_to_do(name, language):
    with translation.override(language):
        document = parse(render_to_string(f"{name}.html"))

    told = document.one("article").all("p")
    assert len(told) >= 5
    assert document.one("html").attributes["lang"] == language
    assert document.one("article").one("a", class_="button")


def test_the_server_error_page_needs_neither_request_nor_database(rf, django_db_blocker):
    response = server_error(rf.get("/"))

    assert response.status_code == 500
    assert "Falló algo de nuestro lado" in response.content.decode()
