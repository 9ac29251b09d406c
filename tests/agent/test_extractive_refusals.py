"""The extractive provider: what it says that it did not find, and when that withdraws its answer."""

from __future__ import annotations

from datetime import date

import pytest

from dofpilot.agent.outcome import PremiseStatus, StopReason
from tests.agent.fake_corpus import FakeCorpus, document
from tests.agent.quoting import WAGE, answer, paper, quotations, researched

REFUSED = "No encontré una respuesta"
RATES = "La tasa de recargos por contribuciones pagadas tarde será de 2.07 por ciento mensual."


def test_it_says_what_it_did_not_find_and_leaves_the_premise_open() -> None:
    outcome, _ = researched("¿Por qué el salario mínimo general de 2026 es de 999 pesos diarios?")
    assert outcome.answer is not None
    paragraphs = outcome.answer.text.split("\n\n")
    assert paragraphs[0].startswith("En «RESOLUCIÓN que fija los salarios mínimos que rigen en 2026»")
    assert paragraphs[-1] == "No encontré «999 pesos» en los pasajes leídos."
    assert outcome.answer.premise_status is PremiseStatus.UNCLEAR


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("¿Qué dice el artículo 99 sobre el salario mínimo?", "Tampoco encontré «artículo 99»."),
        ("¿Cuál es el salario mínimo general en 2031?", "Tampoco encontré «2031»."),
        ("¿Cuál es el salario mínimo general en Guatemala?", "Tampoco encontré «Guatemala»."),
        (
            "¿Qué salario dan al piloto de un avión en la guerra?",
            "Tampoco encontré «piloto», «avión» ni «guerra».",
        ),
        (
            "¿Cuántas resoluciones fijan el salario mínimo general?",
            "Los pasajes hablan del tema, pero no dicen la cifra, el plazo o la fecha que se pregunta.",
        ),
    ],
)
def test_the_closest_text_is_not_offered_as_an_answer(question: str, opening: str) -> None:
    outcome, _ = researched(question)
    assert outcome.answer is not None
    found = outcome.answer.text.split("\n\n")
    assert found[0] == f"No encontré una respuesta en los pasajes leídos. {opening}"
    assert found[1] == "Lo más cercano que leí:"
    assert outcome.answer.citations
    assert outcome.stop_reason is StopReason.ANSWERED


def test_a_norm_that_was_not_found_is_not_answered_from_another() -> None:
    norm = paper("NORMA NOM-035-STPS-2018, riesgos", "4.1 El patrón informa de los riesgos al personal.")
    text = answer("¿Qué obliga la NOM-036-STPS-2018 al patrón?", corpus=norm)
    assert text.startswith(
        "No encontré una respuesta en los pasajes leídos. "
        "Tampoco encontré un pasaje de la norma NOM-036-STPS-2018."
    )


def test_half_of_what_a_long_question_is_about_is_enough() -> None:
    law = paper("LEY de avisos", "Artículo 3. La ley da al patrón un plazo de diez días.")
    text = answer("¿Qué plazo da la ley al patrón de la fábrica por la multa?", corpus=law)
    assert text.startswith("En «LEY de avisos»")


def test_it_says_so_when_nothing_could_be_read() -> None:
    outcome, _ = researched("¿Qué dice la ley de ferrocarriles lunares?")
    assert outcome.answer is not None
    assert outcome.answer.text == "No encontré una respuesta en los pasajes leídos."
    assert outcome.answer.citations == ()
    assert outcome.stop_reason is not StopReason.ANSWERED


@pytest.mark.parametrize("question", [WAGE, "¿Por qué el salario mínimo de 2026 es de 315.04 pesos diarios?"])
def test_it_never_judges_what_a_question_takes_for_granted(question: str) -> None:
    outcome, _ = researched(question)
    assert outcome.answer is not None
    assert outcome.answer.premise_status is PremiseStatus.UNCLEAR


@pytest.mark.parametrize(
    "question",
    [
        "¿Cómo cambió el salario mínimo general de 2025 a 2026?",
        "¿Cuánto valía el salario mínimo general en 2025 y cuánto vale en 2026?",
    ],
)
def test_years_that_are_compared_are_looked_for_in_all_that_is_quoted(question: str) -> None:
    text = answer(question)
    assert not text.startswith(REFUSED)
    assert "No encontré" not in text
    assert {"278.80", "315.04"} <= {word for quote in quotations(text) for word in quote.split()}


def test_a_name_may_be_said_by_one_alone_of_the_documents_compared() -> None:
    wages = [
        document(6030 + year, f"RESOLUCIÓN de salarios de {year}", date(year, 1, 2), text)
        for year, text in (
            (2025, "En 2025 el salario es de 278.80 pesos diarios."),
            (2026, "En 2026 el salario es de 315.04 pesos diarios, también en Tijuana."),
        )
    ]
    text = answer("¿Cómo cambió el salario de 2025 a 2026 en Tijuana?", corpus=FakeCorpus(tuple(wages)))
    assert text.startswith("En «RESOLUCIÓN de salarios de 2025»")


def test_a_compared_year_that_nothing_quoted_speaks_of_withdraws_the_answer() -> None:
    text = answer("¿Cómo cambió el salario mínimo general de 2025 a 2031?")
    assert text.startswith(
        f"{REFUSED} en los pasajes leídos. Tampoco encontré un pasaje que hable de 2031.\n"
    )


def test_a_name_that_no_document_compared_says_withdraws_the_answer() -> None:
    text = answer("¿Cómo cambió el salario mínimo general en Guatemala de 2025 a 2026?")
    assert text.startswith(f"{REFUSED} en los pasajes leídos. Tampoco encontré «Guatemala».")


def test_a_word_of_circumstance_does_not_withdraw_the_figure_that_was_asked_for() -> None:
    question = "¿Qué porcentaje mensual cobra el fisco por las contribuciones pagadas tarde?"
    assert answer(question, corpus=paper("TASA de recargos", RATES)).startswith("En «TASA de recargos»")


def test_a_figure_of_something_else_does_not_answer() -> None:
    question = "¿Qué porcentaje cobra el fisco por las herencias recibidas tarde?"
    assert answer(question, corpus=paper("TASA de recargos", RATES)).startswith(REFUSED)


@pytest.mark.parametrize(("day", "refused"), [(date(2025, 7, 16), False), (date(2025, 7, 18), True)])
def test_a_document_named_by_its_day_needs_fewer_of_the_words_of_a_question(day: date, refused: bool) -> None:
    ley = paper("LEY de ventanillas", "Nueva ley, que se publica y que abre ventanillas en línea.", day=day)
    text = answer(
        "¿Qué ley contra la tramitología y sin papeleo abre ventanillas, publicada el 16 de julio de 2025?",
        corpus=ley,
    )
    assert text.startswith(REFUSED) is refused


def test_the_noun_that_an_article_leads_counts_though_it_ends_like_a_verb() -> None:
    money = paper("LEY monetaria", "La unidad del sistema monetario es de curso legal en el país.")
    text = answer("¿El dólar es de curso legal en mi taller?", corpus=money)
    assert text.startswith(f"{REFUSED} en los pasajes leídos. Tampoco encontré «dólar» ni «taller».")
