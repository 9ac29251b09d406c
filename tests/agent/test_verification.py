"""What is checked of an answer, whatever anybody thinks of it."""

from datetime import date

import pytest

from dofpilot.agent.outcome import (
    Answer,
    Coverage,
    Cutoff,
    FigureStatus,
    PremiseStatus,
    Requirement,
    RequirementKind,
)
from dofpilot.agent.verification import corrects_premise, verify
from tests.agent.asking import AS_OF
from tests.agent.fake_corpus import WAGES_2025, WAGES_2026

COMPLETE = Coverage((), (), ())
RESPECTED = Cutoff(AS_OF, date(2025, 12, 9))


def answered(text, premise=PremiseStatus.SUPPORTED, citations=(1,)):
    return Answer(text, citations, premise)


@pytest.mark.parametrize(
    "text",
    [
        "No se abrogó: el decreto reformó su artículo 3 [1].",
        "No fue abrogada, sino que se reformaron tres artículos [1].",
        "La ley sigue vigente con las reformas de 2015 [1].",
        "No es así.\nEl decreto adicionó una fracción al artículo 5 [1].",
        "Nunca se abrogó." + " " * 500 + "El decreto adicionó una fracción [1].",
        "No se abrogó," + " \n\t" * 500 + "pero   el decreto adicionó una fracción [1].",
    ],
)
def test_a_correction_says_what_is_true(text):
    assert corrects_premise(answered(text, PremiseStatus.FALSE))


@pytest.mark.parametrize(
    "text",
    [
        "No se abrogó [1].",
        "No se abrogó: sigue vigente [1].",
        "Es falso que el decreto haya abrogado la ley [1].",
        "Ningún pasaje leído dice que se haya abrogado la ley [1].",
        "Falso. Nunca ocurrió [1].",
    ],
)
def test_a_denial_alone_corrects_nothing(text):
    assert not corrects_premise(answered(text, PremiseStatus.FALSE))


def test_a_correction_needs_a_citation():
    text = "La ley sigue vigente con las reformas de 2015."
    assert not corrects_premise(answered(text, PremiseStatus.FALSE, citations=()))


def test_a_premise_that_is_not_called_false_needs_no_correction():
    assert corrects_premise(answered("No.", PremiseStatus.UNCLEAR))


@pytest.mark.parametrize(("hops", "met"), [(1, True), (2, True), (3, False)])
def test_hops_count_distinct_documents_not_passages(hops, met):
    cited = [WAGES_2025.passage(0), WAGES_2025.passage(1), WAGES_2026.passage(0)]
    assert verify(answered("Texto."), cited, hops, COMPLETE, RESPECTED).hops_met is met


def test_figures_are_looked_up_in_the_cited_passages_alone():
    text = "En 2026 es de 315.04 pesos y en 2025 fue de 278.80 pesos."
    figures = verify(answered(text), [WAGES_2026.passage(0)], 1, COMPLETE, RESPECTED).figures
    status = {figure.text: figure.status for figure in figures}
    assert any("315.04" in text and value is FigureStatus.FOUND for text, value in status.items())
    assert any("278.80" in text and value is FigureStatus.NOT_FOUND for text, value in status.items())


def test_without_an_answer_nothing_is_met():
    checked = verify(None, [], 1, COMPLETE, Cutoff(AS_OF, None))
    assert not checked.citations_read
    assert not checked.hops_met
    assert not checked.coverage_met
    assert not checked.premise_correction
    assert checked.cutoff.respected


def test_missing_coverage_is_told():
    year = Requirement(RequirementKind.YEAR, "2025", "un pasaje que hable de 2025")
    checked = verify(
        answered("Texto."), [WAGES_2026.passage(0)], 1, Coverage((year,), (year,), ((),)), RESPECTED
    )
    assert not checked.coverage_met
