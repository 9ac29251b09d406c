"""What the page of an answer says was checked, what the question demands, and what did not count."""

from __future__ import annotations

import pytest
from django.urls import reverse

from dofpilot.agent import wording
from dofpilot.agent.outcome import RemarkCode
from dofpilot.agent.render import said
from tests import cast
from tests.pages.html import parse
from tests.pages.made import FIRST, SECOND, demand, rejection, result


def read(page, run):
    return parse(page.get(reverse("run", args=[run.pk])).content)


def test_one_line_sums_up_the_checks(page, ana):
    answer = read(page, cast.finished_run(ana, result())).one(class_="answer")

    assert [(check.attributes["class"], check.text) for check in answer.one(class_="checks").all("li")] == [
        ("short", "atención: 2 de 3 cifras aparecen en lo citado"),
        ("passed", "2 citas leídas"),
        ("passed", "corte respetado (hasta 24 abr 2026)"),
        ("passed", "2 documentos (se pedía 1)"),
    ]
    assert "no que conteste lo que preguntaste" in answer.one(class_="checked").text


@pytest.mark.parametrize(
    ("generative", "found", "standing"),
    [(True, 2, "passed"), (False, 2, "told"), (True, 0, "told"), (False, 0, "told")],
    ids=["checked", "quoted", "none", "none quoted"],
)
def test_figures_pass_as_checked_only_where_they_could_have_been_wrong(
    page, ana, generative, found, standing
):
    figures = result()["verification"]["figures"][:found]
    run = cast.finished_run(ana, result(generative=generative, verification={"figures": figures}))

    first = read(page, run).one(class_="checks").all("li")[0]

    assert first.attributes["class"] == standing
    assert bool(first.all(class_="icon-tick")) == (standing == "passed")
    assert "verificada" not in first.text


def test_what_the_question_demands_is_shown_with_the_sources_that_meet_it(page, ana):
    year, plan = (
        ("year", "2026", "un pasaje que hable de 2026"),
        ("plan", "2025-2030", "un pasaje del plan 2025-2030"),
    )
    required = [demand(*year, FIRST, SECOND), demand(*plan)]
    run = cast.finished_run(ana, result(coverage={"required": required, "missing": [], "complete": False}))

    met, missing = read(page, run).one(class_="demands").all("li")

    assert met.text == "un pasaje que hable de 2026: fuentes 12"
    assert [cite.attributes["href"] for cite in met.all("a", class_="cite")] == ["#pasaje-1", "#pasaje-2"]
    assert (met.attributes["class"], missing.attributes["class"]) == ("passed", "short")
    assert missing.text == "un pasaje del plan 2025-2030: falta"


def test_a_question_that_demands_nothing_has_no_list_of_demands(page, ana):
    assert not read(page, cast.finished_run(ana, result())).all(class_="demands")


def test_rejected_ids_are_never_shown(page, ana):
    text = "Según consta [99887766], son 100 pesos [404]."
    rejected = [
        rejection("99887766", "unknown"),
        rejection("404", "not_read"),
        rejection("[siete]", "invalid"),
    ]
    run = cast.finished_run(
        ana,
        result(
            answer={"text": text, "citations": [], "rejected_citations": rejected},
            verification={"figures": []},
        ),
    )

    content = page.get(reverse("run", args=[run.pk])).content.decode()

    assert parse(content).one(class_="answer-text").text == "Según consta, son 100 pesos."
    assert not [
        rejected for rejected in ("99887766", "404", "siete") if rejected in parse(content).one("main").text
    ]


def test_rejected_citations_are_counted_with_their_reasons(page, ana):
    rejected = [
        rejection("1", "not_read"),
        rejection("2", "not_read"),
        rejection("3", "unknown"),
        rejection("x", "invalid"),
        rejection("4", "repeated"),
    ]
    dropped = said.remark(wording.remark(RemarkCode.DROPPED_CITATIONS, count=4))
    run = cast.finished_run(ana, result(answer={"rejected_citations": rejected}, warnings=[dropped]))

    answer = read(page, run).one(class_="answer")

    assert answer.one(class_="rejected").text == (
        "5 citas del modelo no se tomaron en cuenta: 1 que no es el número de un pasaje, "
        "1 a un pasaje que ninguna consulta devolvió, 2 a pasajes que no se leyeron, 1 repetida."
    )
    assert "warn" in answer.one(class_="rejected").attributes["class"]
    assert dropped["text"] not in answer.text


def test_a_citation_that_was_only_repeated_is_no_warning(page, ana):
    run = cast.finished_run(ana, result(answer={"rejected_citations": [rejection("4", "repeated")]}))

    note = read(page, run).one(class_="rejected")

    assert note.text == "Una cita del modelo no se tomó en cuenta: 1 repetida."
    assert "warn" not in note.attributes["class"]


@pytest.mark.parametrize("written", [str(FIRST), f"[{FIRST}]", f"{FIRST}.0"])
def test_an_id_of_a_passage_read_that_is_no_number_is_no_warning(page, ana, written):
    run = cast.finished_run(ana, result(answer={"rejected_citations": [rejection(written, "invalid")]}))

    note = read(page, run).one(class_="rejected")

    assert note.text == "Una cita del modelo no se tomó en cuenta: 1 que no se escribió como número."
    assert "warn" not in note.attributes["class"]


@pytest.mark.parametrize(
    ("written", "reason"), [("99", "invalid"), ("x", "invalid"), ("99", "unknown"), ("99", "not_read")]
)
def test_a_citation_of_what_was_not_read_is_a_warning(page, ana, written, reason):
    rejected = [rejection(str(FIRST), "repeated"), rejection(written, reason)]
    run = cast.finished_run(ana, result(answer={"rejected_citations": rejected}))

    assert "warn" in read(page, run).one(class_="rejected").attributes["class"]


def test_an_answer_whose_citations_all_count_says_nothing_of_others(page, ana):
    assert not read(page, cast.finished_run(ana, result())).all(class_="rejected")
