"""What a run's page shows in each of its states."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from dofpilot.agent import wording
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import EventKind
from dofpilot.agent.outcome import RemarkCode, RequirementKind
from dofpilot.agent.render import said
from feedback.models import Feedback, Rating
from runs import lifecycle
from runs.models import Claim
from runs.presentation.provenance import provenance_rows
from tests import cast
from tests.pages.html import parse
from tests.pages.made import publication, result, step

PAGES = ("run", "run-json", "run-status")


def read(page, run, name="run", query=""):
    return parse(page.get(reverse(name, args=[run.pk]) + query).content)


@pytest.mark.parametrize("name", PAGES)
def test_it_asks_who_is_not_signed_in_to_sign_in_first(client, ana, name):
    run = cast.waiting_run(ana)

    assert client.get(reverse(name, args=[run.pk])).status_code == 302


@pytest.mark.parametrize("name", PAGES)
def test_it_hides_another_evaluators_run(page, name):
    run = cast.finished_run(cast.asker("luz"), result())

    assert page.get(reverse(name, args=[run.pk])).status_code == 404


def test_another_evaluators_run_cannot_be_cancelled(page):
    run = cast.waiting_run(cast.asker("luz"))

    assert page.post(reverse("run-cancel", args=[run.pk])).status_code == 404
    assert Claim.objects.filter(run=run).exists()


def test_a_waiting_run_tells_its_place_and_can_be_cancelled(page, ana):
    cast.waiting_run(cast.asker("luz"))
    run = cast.waiting_run(ana)

    document = read(page, run)
    response = page.post(reverse("run-cancel", args=[run.pk]))

    assert "En la cola: lugar 2." in document.one(class_="status").text
    assert response.status_code == 303
    assert response.url == reverse("run", args=[run.pk])
    assert "Investigación cancelada" in read(page, run).one(class_="failed").text


def test_a_get_cancels_nothing(page, ana):
    run = cast.waiting_run(ana)

    assert page.get(reverse("run-cancel", args=[run.pk])).status_code == 405
    assert Claim.objects.filter(run=run).exists()


def test_a_running_run_reloads_itself_where_there_is_no_script(page, ana):
    running = cast.waiting_run(ana)
    lifecycle.claim(running, "w")

    assert read(page, running).one("noscript").one("meta", http_equiv="refresh")


def test_a_finished_run_does_not_reload(page, ana):
    document = read(page, cast.finished_run(ana, result()))

    assert not document.all("noscript")
    assert document.one(id="investigacion").attributes["data-state"] == "succeeded"
    assert "data-live" not in document.one(id="investigacion").attributes


def test_citations_are_numbered_by_first_use_and_lead_to_their_passages(page, ana):
    document = read(page, cast.finished_run(ana, result()))

    cites = document.all("a", class_="cite")
    cards = {card.attributes["id"]: card for card in document.all("details", class_="card")[:2]}
    assert [cite.text for cite in cites] == ["1", "2", "1"]
    assert [cite.attributes["href"] for cite in cites] == ["#pasaje-1", "#pasaje-2", "#pasaje-1"]
    assert "Será de 315.04 pesos diarios." in cards["fuente-1"].text
    assert "Era de 278.80 pesos." in cards["fuente-2"].text


def test_a_passage_shows_where_it_comes_from(page, ana):
    card = read(page, cast.finished_run(ana, result())).one(id="fuente-1")

    assert "COMISIÓN · DOF 9 dic 2025 · matutina" in card.text
    assert card.one(class_="breadcrumb").text == "RESOLUTIVOS"
    link = card.one("a")
    assert link.attributes["href"] == publication(5745677)["official_url"]
    assert "noopener" in link.attributes["rel"]
    assert [mark.text for mark in card.all("mark")] == ["315.04 pesos"]


def test_what_was_read_but_not_cited_has_no_number(page, ana):
    read_only = read(page, cast.finished_run(ana, result())).one(class_="card-read")

    assert "Antecedentes del caso." in read_only.text
    assert not read_only.all(class_="number")


def test_found_read_and_cited_documents_have_different_words(page, ana):
    documents = read(page, cast.finished_run(ana, result())).one(class_="documents")

    words = [row.one(class_="standings").text for row in documents.all("li")]
    assert words == ["citado", "citado", "encontrado"]


def test_figures_show_their_check(page, ana):
    answer = read(page, cast.finished_run(ana, result())).one(class_="answer-text")

    found = [(mark.text, mark.attributes["href"]) for mark in answer.all("a", class_="figure")]
    assert found == [("315.04 pesos", "#pasaje-1"), ("278.80 pesos", "#pasaje-2")]
    assert answer.one("span", class_="missing").text == ("36.24 pesos (cifra no encontrada en lo citado)")


def test_brackets_that_are_no_citations_stay(page, ana):
    run = cast.finished_run(
        ana,
        result(answer={"text": "El texto [sic] de [2026].", "citations": []}, verification={"figures": []}),
    )

    assert read(page, run).one(class_="answer-text").text == "El texto [sic] de [2026]."


def test_an_extractive_answer_says_what_it_is(page, ana):
    words = "no interviene un modelo generativo"

    assert words in read(page, cast.finished_run(ana, result())).one(class_="answer").text
    generative = read(page, cast.finished_run(ana, result(generative=True))).one(class_="answer").text
    assert words not in generative
    assert "Redactada por un modelo generativo" in generative


def test_an_incomplete_answer_is_labelled_and_kept(page, ana):
    missing = (wording.requirement(RequirementKind.YEAR, "2025"),)
    warnings = [
        wording.remark(RemarkCode.TURN_LIMIT),
        wording.remark(RemarkCode.INCOMPLETE, requirement=missing),
    ]
    run = cast.finished_run(ana, result(stop_reason="turn_limit", warnings=list(map(said.remark, warnings))))

    answer = read(page, run).one(class_="answer")

    assert [notice.text for notice in answer.all(class_="notice")] == [
        "La investigación llegó al límite de turnos. "
        "Respuesta incompleta: falta un pasaje que hable de 2025. La conservamos para revisarla."
    ]
    assert answer.all(class_="cite")


def test_a_run_that_ended_without_text_says_so_and_shows_what_was_read(page, ana):
    run = cast.finished_run(
        ana,
        {
            **result(
                stop_reason="time_limit",
                verification={"figures": []},
                warnings=[said.remark(wording.remark(RemarkCode.NO_ANSWER))],
            ),
            "answer": None,
        },
    )

    document = read(page, run)

    assert "No se llegó a redactar una respuesta." in document.one(class_="answer").text
    assert not document.all(class_="checks")
    assert len(document.all(class_="card-read")) == 3
    assert document.one("title").text.startswith("Sin respuesta")
    assert document.one(id="respuesta").text == "Sin respuesta"
    assert not document.all(class_="method")
    assert not document.all(class_="premise")
    sources = document.one(class_="sources").text
    assert "Se leyeron 3 pasajes" in sources
    assert "Se leyeron 3 pasajes más" not in sources
    assert "la respuesta no cita" not in sources
    assert "Esta respuesta" not in document.one("main").text
    said_at_the_end = document.one(id="investigacion").attributes["data-say-ended"]
    assert said_at_the_end == "La investigación terminó sin respuesta."


def test_a_run_that_read_nothing_promises_nothing_below(page, ana):
    nothing = {**result(verification={"figures": []}), "answer": None, "evidence": [], "documents": []}

    document = read(page, cast.finished_run(ana, nothing))

    assert document.one(class_="answer-text").text == "No hay texto de respuesta."
    assert "No se leyó ningún pasaje." in document.one(class_="sources").text


def test_what_was_read_for_an_answer_that_cites_nothing_is_not_more_than_that(page, ana):
    uncited = result(answer={"text": "Sí.", "citations": []}, verification={"figures": []})

    sources = read(page, cast.finished_run(ana, uncited)).one(class_="sources").text

    assert "Se leyeron 3 pasajes, que la respuesta no cita" in sources


REPEATED = "Esta investigación repite una grabación"


@pytest.mark.parametrize(("provider", "says"), [("recorded", True), ("openai-chat", False)])
def test_a_recorded_run_says_that_it_repeats_a_recording(page, ana, provider, says):
    lease = lifecycle.claim(cast.waiting_run(ana), "w")
    lifecycle.succeed(lease, result(generative=True), provenance={"provider": provider, "model": "m-1"})

    assert (REPEATED in read(page, lease.run).one(class_="answer").text) == says


def test_a_question_that_was_not_recorded_is_not_said_to_be_a_models_fault(page, ana):
    lease = lifecycle.claim(cast.waiting_run(ana), "w")
    lifecycle.fail(lease, FailureCode.PROVIDER_UNAVAILABLE, provenance={"provider": "recorded"})

    failed = read(page, lease.run).one(class_="failed")

    assert REPEATED in failed.text
    assert "Las grabaciones no tienen respuesta para esta pregunta." in failed.text
    assert "El modelo no respondió" not in failed.text
    assert not failed.all("a", class_="button")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("supported", "Según el modelo, lo que la pregunta da por hecho se sostiene en lo citado."),
        ("false", "Según el modelo, la pregunta parte de algo que lo citado no sostiene."),
        ("unclear", "Según el modelo, lo citado no basta para saber si es cierto"),
    ],
)
def test_the_premise_is_told_as_the_models_opinion(page, ana, status, words):
    run = cast.finished_run(ana, result(generative=True, answer={"premise_status": status}))

    premise = read(page, run).one(class_="premise")

    assert words in premise.text
    assert ("premise-doubtful" in premise.attributes["class"]) == (status != "supported")


@pytest.mark.parametrize("generative", [True, False])
def test_nothing_is_said_of_the_premise_by_an_answer_that_cites_nothing(page, ana, generative):
    uncited = result(generative=generative, answer={"text": "Sí.", "citations": []}, evidence=[])
    uncited["verification"]["figures"] = []

    assert not read(page, cast.finished_run(ana, uncited)).all(class_="premise")


def test_a_method_that_does_not_judge_the_premise_says_so_quietly(page, ana):
    run = cast.finished_run(ana, result(generative=False, answer={"premise_status": "unclear"}))

    premise = read(page, run).one(class_="premise")

    assert premise.text == "Este método no juzga lo que la pregunta da por hecho."
    assert premise.attributes["class"] == "premise"


def test_other_warnings_are_shown_in_the_readers_language(page, ana):
    words_alone = said.remark(wording.remark(RemarkCode.WORDS_ALONE, count=1, total=3))
    run = cast.finished_run(ana, result(warnings=[words_alone]))

    english = page.get(reverse("run", args=[run.pk]), headers={"accept-language": "en"}).content.decode()

    assert words_alone["text"] in read(page, run).one(class_="answer").text
    assert "Searches done by words alone, because vectors could not be compared: 1 of 3." in english


@pytest.mark.parametrize("code", list(FailureCode))
def test_a_failed_run_shows_its_code_what_to_do_and_its_log(page, ana, code):
    lease = lifecycle.claim(cast.waiting_run(ana, "¿Qué pasó?"), "w")
    lifecycle.append(lease, step(EventKind.AGENT_STARTED, "Empieza la investigación"))
    lifecycle.fail(lease, code)

    document = read(page, lease.run)

    failed = document.one(class_="failed")
    title = "Investigación cancelada" if code == FailureCode.CANCELLED else f"({code})"
    assert title in failed.one("h2").text
    assert "quedaron guardados" in failed.text
    again = [link.attributes["href"] for link in failed.all("a", class_="button")]
    if code in (FailureCode.PROVIDER_REFUSED, FailureCode.CORPUS_UNAVAILABLE):
        assert again == []
    else:
        assert "q=%C2%BFQu%C3%A9+pas%C3%B3%3F" in again[0]
    assert "open" in document.one(class_="log-folded").attributes
    assert "Empieza la investigación" in document.one(class_="log").text


def test_a_folded_log_has_as_many_steps_as_it_says(page, ana):
    lease = lifecycle.claim(cast.waiting_run(ana), "w")
    lifecycle.append(lease, step(EventKind.AGENT_STARTED, "Empieza la investigación"))
    lifecycle.append(lease, step(EventKind.MODEL_TURN_STARTED, "Decide el siguiente paso", turn=1))
    assert "paso 2" in read(page, lease.run).one(class_="status-line").text
    lifecycle.fail(lease, FailureCode.RATE_LIMITED)

    log = read(page, lease.run).one(class_="log-folded")

    assert log.one("summary").text == "Cómo se investigó: 2 pasos"
    assert len(log.one(class_="log").all("li", class_="step")) == 2


def test_too_much_time_is_not_blamed_on_the_question(page, ana):
    failed = read(page, cast.failed_run(ana, FailureCode.DEADLINE_EXCEEDED)).one(class_="failed")

    assert "El modelo tardó demasiado. Inténtalo de nuevo; si se repite, avisa." in failed.text


def test_the_log_stays_folded_above_the_finished_answer(page, ana):
    document = read(page, cast.finished_run(ana, result()))

    folded = document.one(class_="log-folded")
    assert "open" not in folded.attributes
    assert "Empieza la investigación" in folded.text


def test_provenance_is_shown_in_words(page, ana):
    provenance = read(page, cast.finished_run(ana, result())).one(class_="provenance")

    rows = {row.one("th").text: row.one("td").text for row in provenance.all("tr")}
    assert rows["Proveedor"] == "extractive"
    assert rows["Modelo generativo"] == "no"
    assert rows["Forma de búsqueda"] == "léxica"


def test_modes_and_shares_are_told_in_words():
    told = {
        "vector_complete": 0.0,
        "smallest_vector_share": 0.372,
        "retrieval_setting": "auto",
        "retrieval_mode": "hybrid",
        "reasoning_effort": "auto",
    }

    assert [value for _label, value in provenance_rows(told)] == [
        "0 %",
        "37.2 %",
        "automática",
        "híbrida",
        "auto",
    ]


def test_sent_feedback_is_shown_beside_the_form(page, ana):
    run = cast.finished_run(ana, result())
    Feedback.objects.create(run=run, evaluator=ana, rating=Rating.HELPFUL, comment="Justo eso.")

    feedback = read(page, run).one(id="opinion")

    assert "Me sirvió" in feedback.one(class_="given").text
    assert "Justo eso." in feedback.one(class_="given").text
    assert len(feedback.all(name="rating")) == 3


def test_the_download_is_the_public_run(page, ana):
    run = cast.finished_run(ana, result())

    response = page.get(reverse("run-json", args=[run.pk]))

    assert json.loads(response.content)["result"]["answer"] == result()["answer"]
    assert response["Content-Disposition"] == f'attachment; filename="dofpilot-{run.pk}.json"'


def test_the_status_fragment_holds_only_what_came_later(page, ana):
    lease = lifecycle.claim(cast.waiting_run(ana), "w")
    for number in (1, 2, 3):
        lifecycle.append(lease, step(EventKind.AGENT_STARTED, f"Paso {number}"))

    fragment = read(page, lease.run, "run-status", "?after=1").one("div", data_state="started")

    assert [item.one(class_="step-line").text[:6] for item in fragment.all("li")] == ["Paso 2", "Paso 3"]
    assert fragment.attributes["data-last"] == "3"
    assert "paso 3" in fragment.one(class_="status-line").text


@pytest.mark.parametrize("after", ["", "nada", "-1", "9" * 30])
def test_the_status_fragment_takes_any_after(page, ana, after):
    run = cast.waiting_run(ana)

    assert page.get(reverse("run-status", args=[run.pk]), {"after": after}).status_code == 200


def test_pages_of_a_run_are_not_kept_by_caches(page, ana):
    run = cast.finished_run(ana, result())

    for name in PAGES:
        assert "no-store" in page.get(reverse(name, args=[run.pk]))["Cache-Control"]
