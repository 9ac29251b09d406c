"""What form of answer a question asks for, and which sentences have it."""

from __future__ import annotations

import pytest

from dofpilot.agent.providers.extractive.asking import Asked, Form, asked
from dofpilot.agent.providers.extractive.forms import defines, has_form
from dofpilot.agent.providers.extractive.units import units
from tests.agent.reading import passage


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("¿Qué es el teletrabajo?", Form.DEFINITION),
        ("que significa uma", Form.DEFINITION),
        ("¿Quién pide el permiso que es obligatorio?", Form.ANY),
        ("¿Cuántos días de vacaciones tocan?", Form.LENGTH),
        ("¿Cuánto dura la patente?", Form.LENGTH),
        ("¿En cuánto tiempo contestan?", Form.LENGTH),
        ("¿Cuántas personas integran la Junta?", Form.COUNT),
        ("¿Cuánto cuesta la entrada?", Form.AMOUNT),
        ("¿De cuánto a cuánto va la multa?", Form.AMOUNT),
        ("¿Cuál es el salario mínimo?", Form.AMOUNT),
        ("¿Cuánta agua cabe?", Form.QUANTITY),
        ("¿Qué porcentaje se cobra?", Form.SHARE),
        ("¿Desde cuándo rige?", Form.START),
        ("¿A partir de qué fecha se paga?", Form.START),
        ("¿Cuándo vence?", Form.WHEN),
        ("¿Cada cuándo se reúne?", Form.ANY),
        ("¿Quién paga cuando hay accidente?", Form.ANY),
    ],
)
def test_the_words_of_a_question_tell_the_form_of_its_answer(question: str, form: Form) -> None:
    assert asked(question).form is form


_FITTING = [
    ("¿Cuántos días de vacaciones tocan?", "El periodo no será menor de doce días laborables."),
    ("¿Cuánto dura el encargo?", "Durará en su encargo un año y no podrá ser reelecto."),
    ("¿Cuántas personas integran la Junta?", "La Junta se compone de quince honorables personas."),
    ("¿Cuántos requisitos hay?", "Los requisitos: I. Ser mayor de edad; II. Tener domicilio, y III. Pagar."),
    ("¿Cuánto cuesta la entrada?", "La cuota general será de $75.00 por persona."),
    ("¿Cuánto cuesta la entrada?", "El trámite ante la oficina será gratuito para todos."),
    ("¿Cuál es la multa?", "Se impondrá multa de quinientas veces el valor de la unidad."),
    ("¿Cuál es la multa?", "Se impondrá multa de 50 a 20,000 salarios a quien incumpla."),
    ("¿Cuánto descanso tiene?", "Tendrá derecho a un descanso semanal de día y medio."),
    ("¿Qué porcentaje se cobra?", "La tasa de recargos será de 2.07 por ciento mensual."),
    ("¿Desde cuándo rige?", "El Decreto empieza a regir el 1 de enero de 2026."),
    ("¿Cuándo vence?", "La solicitud se entrega el 5 de mayo de 2026."),
    ("¿Cuándo vence?", "El plazo para presentarla es de diez días hábiles."),
]


@pytest.mark.parametrize(("question", "sentence"), _FITTING)
def test_a_sentence_that_has_the_form_can_answer(question: str, sentence: str) -> None:
    (unit,) = units(passage(sentence))
    assert has_form(unit, asked(question))


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("¿Cuántos días de vacaciones tocan?", "El artículo 76 habla de las vacaciones y de los días."),
        ("¿Cuántas personas integran la Junta?", "La Junta tiene quince sesiones y la integran personas."),
        ("¿Cuánto cuesta la entrada?", "La entrada es libre desde hace 12 años en el museo."),
        ("¿Cuánto descanso tiene?", "El descanso semanal es un derecho de quien trabaja."),
        ("¿Qué porcentaje se cobra?", "La tasa de recargos se publicará más adelante."),
        ("¿Desde cuándo rige?", "Entra en vigor pronto, según se dijo en la sesión."),
        ("¿Desde cuándo rige?", "El plazo para presentarla es de diez días hábiles."),
        ("¿Cuándo vence?", "El plazo para presentarla es breve y no se amplía."),
    ],
)
def test_a_sentence_without_the_form_cannot(question: str, sentence: str) -> None:
    (unit,) = units(passage(sentence))
    assert not has_form(unit, asked(question))


def test_any_sentence_can_answer_a_question_of_no_form() -> None:
    (unit,) = units(passage("Corresponde a la Junta nombrar al Rector."))
    assert has_form(unit, Asked(Form.ANY))


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("¿Qué es el teletrabajo?", "XV. Teletrabajo: el que se hace desde casa."),
        ("¿Cómo define la Ley Federal el teletrabajo?", "Teletrabajo es el que se hace desde casa."),
        ("¿Qué se entiende por centro de trabajo?", "4.1 Centro de trabajo: el lugar donde se labora."),
        ("¿Qué significa UMA en la ley?", "La UMA es la unidad de cuenta."),
        ("¿Qué es el salario según la ley?", "Artículo 82.- Salario es la retribución que se paga."),
        ("¿Qué se entiende por divisas?", "En esta Ley, el término divisas comprende: billetes."),
        ("¿Qué es un avecindado?", "En esta ley se entiende por avecindado a quien reside un año."),
    ],
)
def test_it_knows_a_definition_of_the_term_asked_for(question: str, sentence: str) -> None:
    assert defines(sentence, asked(question).defined)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("¿Qué es el teletrabajo?", "Patrón: quien contrata."),
        ("¿Qué es el teletrabajo?", "El teletrabajo crece."),
        ("¿Qué son los factores de riesgo?", "4.7 Política de riesgo: la declaración."),
        ("¿Cuánto paga el teletrabajo?", "Teletrabajo: el que se hace desde casa."),
    ],
)
def test_no_other_sentence_or_question_counts_as_a_definition(question: str, sentence: str) -> None:
    assert not defines(sentence, asked(question).defined)
