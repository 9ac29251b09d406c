"""The live log, the same for page, fragment and stream."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils import translation

from dofpilot.agent.events import Event, EventKind
from runs import lifecycle
from runs.presentation.steps import render_step, steps_of
from runs.public import public_step
from tests import cast
from tests.pages.html import parse
from tests.pages.made import publication, step

SAY = {"message": "Buscó documentos sobre «{query}»", "values": {"query": "maíz {0} <b>"}}


def recorded(event: Event, sequence: int = 1) -> dict[str, object]:
    return {
        "sequence": sequence,
        "kind": event.kind,
        "created_at": datetime(2026, 4, 24, 18, tzinfo=UTC).isoformat(),
        "payload": event.payload,
    }


def shown(event: Event, language: str = "es-mx"):
    return parse(render_step(recorded(event), language))


def found(**more):
    return {**publication(5775533), "heading_path": ["A"], "excerpt": "texto", "standing": "found", **more}


def test_a_row_and_its_public_form_look_the_same(db):
    lease = lifecycle.claim(cast.waiting_run(cast.asker()), "w")
    row = lifecycle.append(lease, step(EventKind.AGENT_STARTED, "Empieza"))

    assert render_step(row, "es-mx") == render_step(public_step(row), "es-mx")


def test_a_completed_tool_takes_the_place_of_the_started_one():
    rows = [
        recorded(step(EventKind.TOOL_STARTED, "Busca", step=1), 1),
        recorded(step(EventKind.TOOL_STARTED, "Lee", step=2), 2),
        recorded(step(EventKind.TOOL_COMPLETED, "Buscó", step=1), 3),
    ]

    steps = steps_of(rows)

    assert [(item.verb, item.state) for item in steps] == [("Buscó", "done"), ("Lee", "running")]
    assert parse(render_step(rows[0], "en")).one("li").attributes["id"] == "paso-tool-1"
    assert parse(render_step(rows[2], "en")).one("li").attributes["id"] == "paso-tool-1"


def test_a_tool_and_a_turn_of_the_same_number_are_two_steps():
    rows = [
        recorded(step(EventKind.MODEL_TURN_STARTED, "Decide", turn=1), 1),
        recorded(step(EventKind.TOOL_STARTED, "Busca", step=1, turn=1), 2),
    ]

    assert len(steps_of(rows)) == 2


def test_a_sentence_is_translated_from_its_template_with_its_values_inert():
    event = Event(EventKind.TOOL_COMPLETED, {"message": "sin usar", "say": SAY, "step": 1})

    line = shown(event, "en").one(class_="step-line").text

    assert line.startswith("Searched for documents about “maíz {0} <b>”")


def test_a_template_that_does_not_fit_gives_the_recorded_sentence():
    event = Event(
        EventKind.TOOL_COMPLETED, {"message": "Buscó algo", "say": {**SAY, "values": {}}, "step": 1}
    )

    assert shown(event).one(class_="step-line").text.startswith("Buscó algo")


@pytest.mark.parametrize("language", ["es-mx", "en"])
def test_rendering_leaves_the_active_language_alone(language):
    with translation.override("en" if language == "es-mx" else "es-mx"):
        before = translation.get_language()
        render_step(recorded(step(EventKind.AGENT_STARTED, "Empieza")), language)
        assert translation.get_language() == before


def test_found_and_read_passages_differ_by_icon_and_word():
    passages = [found(), found(standing="read"), found(standing="otra cosa")]

    document = shown(step(EventKind.TOOL_COMPLETED, "Leyó", step=1, passages=passages))

    summaries = [item.one("summary") for item in document.all("details", class_="excerpt")]
    assert [item.one(class_="standing").text for item in summaries] == ["encontrado", "leído", "encontrado"]
    assert [len(item.all(class_="icon-read")) for item in summaries] == [0, 1, 0]


def test_an_outline_shows_headings_and_no_passages():
    headings = [["COMISIÓN", "Resolución 5775533", "I. Reglas"]]
    event = step(
        EventKind.TOOL_COMPLETED,
        "Revisó",
        tool="get_document_outline",
        step=1,
        headings=headings,
        documents=[publication(5775533)],
    )

    document = shown(event)

    assert [item.text for item in document.one(class_="headings").all("li")] == ["I. Reglas"]
    assert not document.all(class_="excerpt")


def test_long_lists_fold_and_tell_how_many_there_were():
    documents = [publication(number) for number in range(1, 21)]
    event = step(EventKind.TOOL_COMPLETED, "Buscó", step=1, documents=documents, totals={"documents": 45})

    document = shown(event)

    assert len(document.all(class_="chip")) == 20
    assert "y 17 documentos más" in document.one(class_="more").text
    assert "Se muestran 20 de 45." in document.text


def test_a_long_title_is_cut_at_eighty_characters_and_kept_whole_in_its_tooltip():
    title = (
        "ACUERDO por el que se dan a conocer los municipios beneficiados y los montos asignados del Programa"
    )
    event = step(EventKind.TOOL_COMPLETED, "Buscó", step=1, documents=[{**publication(1), "title": title}])

    link = shown(event).one(class_="chip").one("a")

    assert len(link.text) <= 80
    assert link.text.endswith("…")
    assert link.attributes["title"] == title


def reason(text):
    return {"code": "unknown", "text": text, "values": {}}


def test_refused_and_revised_steps_say_so():
    refused = step(
        EventKind.TOOL_COMPLETED, "No se hizo la consulta: x", step=1, error={"code": "c", "message": "x"}
    )
    revised = step(
        EventKind.ANSWER_REVISION_REQUESTED, "Se devolvió: uno", reasons=[reason("uno"), reason("dos")]
    )

    assert shown(refused).one("strong").text == "No se hizo la consulta:"
    assert shown(refused).one(class_="tag").text == "no se aceptó"
    assert shown(revised).one(class_="tag").text == "se corrige"
    assert [item.text for item in shown(revised).one(class_="step-reasons").all("li")] == ["dos"]


@pytest.mark.parametrize("kind", list(EventKind))
def test_the_barest_payload_of_any_kind_can_be_shown(kind):
    assert shown(Event(kind, {"message": "Hace algo"})).one("strong").text == "Hace"
