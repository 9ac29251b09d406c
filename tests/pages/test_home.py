"""Asking, and finding again what was asked."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse

from dofpilot.access.problems import Problem
from feedback.models import Feedback, Rating
from runs.models import Claim, Run
from runs.presentation.examples import SAMPLE
from tests import cast
from tests.pages.html import parse
from tests.pages.made import result

HOME = "/"


def typed(**changes: str) -> dict[str, str]:
    form = {
        "question": "¿Cuáles son los salarios mínimos?",
        "as_of": "2026-03-01",
        "required_hops": "2",
        "client_request_id": str(uuid.uuid4()),
        "csrfmiddlewaretoken": "sent by every form",
    }
    return {**form, **changes}


def test_it_asks_who_is_not_signed_in_to_sign_in_first(client, db):
    response = client.get(HOME)

    assert response.status_code == 302
    assert response.url.startswith(reverse("login"))


def test_a_question_leads_to_its_page_with_303(page, loaded_corpus):
    response = page.post(HOME, typed())

    run = Run.objects.get()
    assert response.status_code == 303
    assert response.url == reverse("run", args=[run.pk])
    assert (run.question, str(run.as_of), run.required_hops) == (
        "¿Cuáles son los salarios mínimos?",
        "2026-03-01",
        2,
    )


def test_a_double_submit_gives_the_same_run(page, loaded_corpus):
    form = typed()

    first, second = page.post(HOME, form), page.post(HOME, form)

    assert first.url == second.url
    assert Run.objects.count() == 1


def test_each_visit_gets_its_own_request_id(page):
    ids = {parse(page.get(HOME).content).one(name="client_request_id").attributes["value"] for _ in range(2)}

    assert len(ids) == 2


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("question", "ya", "question-error"),
        ("question", "x" * 2001, "question-error"),
        ("as_of", "2026-02-30", "as-of-error"),
        ("required_hops", "6", "hops-error"),
    ],
)
def test_a_fault_is_told_beside_its_field_and_keeps_what_was_typed(page, loaded_corpus, name, value, error):
    form = typed(**{name: value})

    response = page.post(HOME, form)

    document = parse(response.content)
    told = document.one(id=error)
    described = [node for node in document.all() if error in (node.attributes.get("aria-describedby") or "")]
    assert response.status_code == 422
    assert told.text
    assert described
    assert document.one("textarea").text == form["question"]
    assert document.one(name="as_of").attributes["value"] == form["as_of"]
    checked = [node for node in document.all(name="required_hops") if "checked" in node.attributes]
    assert [node.attributes["value"] for node in checked] == ([] if name == "required_hops" else ["2"])
    assert document.one(name="client_request_id").attributes["value"] == form["client_request_id"]
    assert not Run.objects.exists()


def test_line_breaks_count_once_as_the_counter_counts_them(page, loaded_corpus):
    # A browser sends each line break as two characters.
    question = "a" + "\r\n" * 999 + "b" * 1000

    assert page.post(HOME, typed(question=question)).status_code == 303


def test_a_field_that_is_not_asked_for_is_refused_by_name_and_does_not_come_back(page, loaded_corpus):
    response = page.post(HOME, typed(model="otro"))

    document = parse(response.content)
    assert response.status_code == 422
    assert "model: Este campo no se acepta." in document.one(role="alert").text
    assert "marcado" not in document.one(role="alert").text
    assert not document.all(name="model")
    assert not Run.objects.exists()


@pytest.mark.parametrize("sent", ["", "con espacio", None])
def test_a_request_id_that_nobody_typed_is_renewed_so_that_sending_again_works(page, loaded_corpus, sent):
    form = typed(client_request_id=sent or "")
    if sent is None:
        del form["client_request_id"]
        form["model"] = "otro"

    response = page.post(HOME, form)

    document = parse(response.content)
    renewed = document.one(name="client_request_id").attributes["value"]
    assert response.status_code == 422
    if sent is not None:
        assert "ya tiene uno nuevo" in document.one(role="alert").text
    again = typed(client_request_id=renewed, question=document.one("textarea").text)
    assert page.post(HOME, again).status_code == 303


def test_a_second_question_while_one_is_active_is_refused_with_a_way_to_it(page, ana, loaded_corpus):
    active = cast.waiting_run(ana)

    response = page.post(HOME, typed())

    document = parse(response.content)
    assert response.status_code == 409
    assert "Ya tienes una investigación en curso" in document.one(role="alert").text
    assert document.all("a", href=reverse("run", args=[active.pk]))
    assert document.one("textarea").text == typed()["question"]
    assert Claim.objects.count() == 1


def test_a_limit_says_when_to_come_back(page, monkeypatch, loaded_corpus):
    def refuse(*_):
        raise Problem(429, "rate_limited", "Llegaste al límite.", retry_after=125)

    monkeypatch.setattr("runs.views.admit", refuse)

    response = page.post(HOME, typed())

    assert response.status_code == 429
    assert response["Retry-After"] == "125"
    assert "2 min 5 s" in parse(response.content).one(role="alert").text


def test_a_form_sent_before_and_changed_since_gets_a_new_request_id(page, ana, loaded_corpus):
    cast.finished_run(ana, result(), request_id="usado")

    response = page.post(HOME, typed(client_request_id="usado"))

    assert response.status_code == 409
    assert parse(response.content).one(name="client_request_id").attributes["value"] != "usado"


def test_without_a_corpus_it_says_so_and_keeps_the_question(page, settings, tmp_path):
    settings.CORPUS = tmp_path / "nada"

    response = page.post(HOME, typed())

    assert response.status_code == 503
    assert parse(response.content).one("textarea").text == typed()["question"]
    assert "acervo no está disponible" in parse(page.get(HOME).content).one("main").text


def test_it_tells_the_dates_of_the_corpus_and_that_it_is_the_sample(page, loaded_corpus):
    document = parse(page.get(HOME).content)

    assert "publicaciones del 9 ago 2006 al" in document.one("main").text
    assert "escritos para dofpilot" in document.one("main").text
    assert document.one(name="as_of").attributes["value"].startswith("2026-")


def test_examples_fill_the_form(page, loaded_corpus):
    example = SAMPLE[1]

    document = parse(page.get(HOME + "?" + example.query).content)

    assert document.one("textarea").text == example.question
    checked = [node for node in document.all(name="required_hops") if "checked" in node.attributes]
    assert [node.attributes["value"] for node in checked] == [str(example.hops)]


def test_no_examples_where_they_would_not_work(page):
    assert not parse(page.get(HOME).content).all(class_="examples")


def test_the_history_shows_own_questions_with_state_and_rating(page, ana):
    run = cast.finished_run(ana, result(), question="¿Mía y terminada?")
    cast.failed_run(ana, question="¿Mía y fallida?")
    cast.finished_run(cast.asker("luz"), result(), question="¿De otra persona?")
    Feedback.objects.create(run=run, evaluator=ana, rating=Rating.HELPFUL)
    Feedback.objects.create(run=run, evaluator=ana, rating=Rating.NOT_HELPFUL)

    items = [item.text for item in parse(page.get(HOME).content).one(class_="asked").all("li")]

    assert len(items) == 2
    assert items[0].startswith("¿Mía y fallida? no terminada")
    assert items[1].startswith("¿Mía y terminada? terminada")
    assert items[1].endswith("opinaste: No me sirvió")


def test_the_history_has_pages(page, ana):
    for _ in range(11):
        cast.finished_run(ana, result())

    first, second = parse(page.get(HOME).content), parse(page.get(HOME + "?page=2").content)

    assert len(first.one(class_="asked").all("li")) == 10
    assert len(second.one(class_="asked").all("li")) == 1
    assert first.all(rel="next")
    assert second.all(rel="prev")
    assert page.get(HOME + "?page=nada").status_code == 200


@pytest.mark.parametrize("name", ["home", "run", "run-status", "run-json", "login", "privacy", "feedback"])
def test_a_page_can_be_asked_for_its_headers_alone(page, ana, name):
    run = cast.finished_run(ana, result())
    address = reverse(name, args=[] if name in ("home", "login", "privacy") else [run.pk])

    response = page.head(address)

    assert response.status_code == (302 if name == "login" else 200)
    assert response.content == b""


def test_the_history_asks_the_database_the_same_few_times_however_long_it_is(
    page, ana, django_assert_max_num_queries
):
    for _ in range(10):
        cast.finished_run(ana, result())

    with django_assert_max_num_queries(8):
        page.get(HOME)
