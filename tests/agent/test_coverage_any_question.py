"""Whatever a question says, its demands can be judged, and its own words meet the ranges that it states."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.agent.coverage import assess, requirements
from dofpilot.agent.outcome import RequirementKind
from tests.agent.reading import passage

AS_OF = date(2026, 4, 24)
WORDS = """
    entre de desde hasta a y o más menos que no por lo al ni en un mil millones quince cincuenta
    trabajadores 15 16 2,500 1.5 2025 2026 2025-2026 16-50 numeral numerales 8.3 8.10 transitorio
    segundo único NOM 035 STPS PND plan 2025-2030 diario mensual cada día publicada el enero ¿ ? , .
"""
questions = st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join)


@given(st.one_of(questions, st.text(max_size=200)))
def test_its_demands_can_be_judged(question: str) -> None:
    required = requirements(question, 2, AS_OF)
    coverage = assess(required, [passage(question)], [1], question)
    assert len(coverage.met_by) == len(required)
    assert coverage.missing == tuple(
        item for item, chunks in zip(required, coverage.met_by, strict=True) if not chunks
    )
    assert RequirementKind.RANGE not in [item.kind for item in coverage.missing]


@pytest.mark.parametrize("number", ["un millón", "dos mil millones", "999,999", "1,250,000"])
def test_a_range_of_a_large_number_is_met_by_it(number: str) -> None:
    required = requirements(f"Ciudades de más de {number} habitantes", 1, AS_OF)
    assert len(required) == 1
    assert assess(required, [passage(f"más de {number} habitantes")], [1], "").complete
