"""Values of demands that are said in words, so that a page can say them in another language."""

from __future__ import annotations

from datetime import date

import pytest

from dofpilot.agent.coverage import requirements
from dofpilot.agent.outcome import RequirementKind
from dofpilot.agent.wording import VALUES, named

ALL_PERIODS = (
    "¿Cuál es el valor diario, semanal, quincenal, mensual, bimestral, trimestral, semestral y anual?"
)
ALL_RANGES = (
    "¿Qué toca hasta 15 trabajadores, de 16 a 50 trabajadores, más de 60 trabajadores, "
    "menos de 9 trabajadores, 80 o más trabajadores y 5 trabajadores o menos?"
)


def stated(question: str, kind: RequirementKind) -> list[str]:
    return [item.value for item in requirements(question, 1, date(2026, 4, 24)) if item.kind is kind]


@pytest.mark.parametrize(
    ("kind", "question"),
    [(RequirementKind.PERIODICITY, ALL_PERIODS), (RequirementKind.RANGE, ALL_RANGES)],
)
def test_every_value_in_words_is_known_and_says_itself(kind: RequirementKind, question: str):
    values = stated(question, kind)
    words = [named(kind, value) for value in values]
    assert [str(word) for word in words] == values
    assert {word.template for word in words if word} == set(VALUES[kind])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (RequirementKind.YEAR, "2025"),
        (RequirementKind.NORM, "diario"),
        (RequirementKind.PERIODICITY, "diario oficial"),
        (RequirementKind.RANGE, "hasta {high}"),
        (RequirementKind.RANGE, "más de 5 y menos de 9"),
    ],
)
def test_other_values_are_said_as_they_are(kind: RequirementKind, value: str):
    assert named(kind, value) is None
