"""What form of answer a question asks for, and which sentences have it."""

from __future__ import annotations

import pytest

from dofpilot.agent.providers.extractive import asking


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("¿Qué es el teletrabajo?", "XV. Teletrabajo: el que se hace desde casa."),
        ("¿Cómo define la Ley Federal el teletrabajo?", "**Teletrabajo** es el que se hace desde casa."),
        ("¿Qué se entiende por centro de trabajo?", "4.1 Centro de trabajo: el lugar donde se labora."),
        ("¿Qué significa UMA en la ley?", "La UMA es la unidad de cuenta."),
    ],
)
def test_it_knows_a_definition_of_the_term_asked_for(question: str, sentence: str) -> None:
    assert asking.defines(sentence.replace("*", ""), asking.term_asked(question))


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("¿Qué es el teletrabajo?", "Patrón: quien contrata."),
        ("¿Qué es el teletrabajo?", "El teletrabajo crece."),
        ("¿Qué son los factores de riesgo?", "4.7 Política de riesgo: la declaración."),
        ("¿Cuánto paga el teletrabajo?", "Teletrabajo: el que se hace desde casa."),
    ],
)
def test_no_other_sentence_or_question_counts(question: str, sentence: str) -> None:
    assert not asking.defines(sentence, asking.term_asked(question))


def test_a_relative_when_asks_for_no_time() -> None:
    assert asking.asks_when("¿Cuándo vence?")
    assert not asking.asks_when("¿Quién paga cuando hay accidente?")


def test_only_the_entry_into_force_is_a_start() -> None:
    assert asking.asks_start("¿Desde cuándo rige?")
    assert not asking.asks_start("¿Cuándo vence?")


def test_a_time_needs_a_date_or_a_length() -> None:
    assert asking.tells_when("El plazo es de diez días.")
    assert not asking.tells_when("El plazo es breve.")
    assert asking.tells_start("Empieza a regir el 1 de enero de 2026.")
    assert not asking.tells_start("El plazo es de diez días.")
    assert not asking.tells_start("Entra en vigor pronto.")
