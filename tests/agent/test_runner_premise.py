"""A question that takes for granted what does not exist: there is nothing to read, and the answer says so."""

import pytest

from dofpilot.agent.events import EventKind
from dofpilot.agent.outcome import RemarkCode, StopReason
from dofpilot.agent.providers.scripted import answer
from tests.agent.asking import CHUNK, ask, good_answer, read, search

QUESTION = "¿Cuánto es el salario mínimo según la NOM-099-STPS-2099?"
CORRECTED = answer(f"El salario mínimo es de 315.04 pesos diarios [{CHUNK}].", [CHUNK], "false")


def codes(remarks):
    return [remark.code for remark in remarks]


def test_a_corrected_false_premise_is_sent_back_once_and_then_stands():
    asked = ask([search(), read(CHUNK), CORRECTED, CORRECTED], question=QUESTION)
    assert len(asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)) == 1
    assert asked.outcome.stop_reason is StopReason.ANSWERED
    assert codes(asked.outcome.warnings) == [RemarkCode.FALSE_PREMISE]
    assert not asked.outcome.coverage.complete


def test_it_stands_when_nothing_better_comes_after_it():
    asked = ask([search(), read(CHUNK), CORRECTED, *[good_answer()] * 5], question=QUESTION)
    assert asked.outcome.answer.premise_status == "false"
    assert asked.outcome.stop_reason is StopReason.ANSWERED


@pytest.mark.parametrize(
    "draft",
    [
        good_answer(),
        answer(f"No existe [{CHUNK}].", [CHUNK], "false"),
        answer("El salario mínimo es de 315.04 pesos diarios.", [], "false"),
        answer(f"El salario mínimo es de 315.04 pesos diarios [{CHUNK}].", [CHUNK], "unclear"),
    ],
)
def test_an_uncovered_answer_that_corrects_nothing_never_stands(draft):
    asked = ask([search(), read(CHUNK), *[draft] * 6], question=QUESTION)
    assert asked.outcome.stop_reason is StopReason.TURN_LIMIT
    assert RemarkCode.INCOMPLETE in codes(asked.outcome.warnings)


def test_a_false_premise_excuses_no_lack_of_documents():
    asked = ask([search(), read(CHUNK), *[CORRECTED] * 6], question=QUESTION, hops=2)
    assert asked.outcome.stop_reason is StopReason.TURN_LIMIT


def test_a_false_premise_excuses_no_compared_year():
    question = "¿Cómo cambió el salario mínimo de 2024 a 2026?"
    draft = answer(f"En 2024 y 2026 fue de 315.04 pesos diarios [{CHUNK}].", [CHUNK], "false")
    asked = ask([search(), read(CHUNK), *[draft] * 6], question=question)
    assert asked.outcome.stop_reason is StopReason.TURN_LIMIT
    assert [item.value for item in asked.outcome.coverage.missing] == ["2024"]
