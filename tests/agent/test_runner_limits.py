"""Turns, tool calls and what is kept when they are used up."""

from dofpilot.agent.conversation import Draft
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import RemarkCode, StopReason
from dofpilot.agent.providers.scripted import answer
from dofpilot.agent.tools.results import ToolError
from dofpilot.agent.wording import WHY_LAST_TURN, WHY_NO_CALLS
from tests.agent.asking import CHUNK, ask, good_answer, read, search
from tests.agent.fake_corpus import gazette


def test_the_last_turn_offers_no_tools():
    asked = ask([search(), read(CHUNK), good_answer()], limits=Limits(turns=3))
    assert [bool(turn.tools) for turn in asked.provider.turns] == [True, True, False]
    assert asked.outcome.stop_reason is StopReason.ANSWERED


def test_no_tools_are_offered_once_the_calls_are_used_up():
    asked = ask([search(), read(CHUNK), good_answer()], limits=Limits(tool_calls=2))
    assert asked.provider.turns[2].tools == ()


def test_a_closing_turn_says_why_no_tools_are_offered():
    def whys(limits):
        asked = ask([search(), read(CHUNK), good_answer()], limits=limits)
        return [payload.get("why") for payload in asked.log.of(EventKind.MODEL_TURN_STARTED)]

    assert whys(Limits()) == [None] * 3
    assert whys(Limits(tool_calls=2)) == [None, None, WHY_NO_CALLS]
    assert whys(Limits(turns=3)) == [None, None, WHY_LAST_TURN]
    assert whys(Limits(turns=3, tool_calls=2)) == [None, None, WHY_LAST_TURN]


def test_a_refused_call_costs_a_turn_but_no_tool_call():
    asked = ask([search(limit=99), search(), read(CHUNK), good_answer()])
    assert (len(asked.outcome.turns), asked.outcome.tool_calls) == (4, 2)
    refused = asked.log.of(EventKind.TOOL_COMPLETED)[0]
    assert refused["error"]["field"] == "limit"
    assert refused["step"] == 1
    assert [payload["step"] for payload in asked.log.of(EventKind.TOOL_STARTED)] == [2, 3]


def test_a_call_that_the_corpus_refuses_can_be_corrected():
    asked = ask([search("¿?"), search(), read(CHUNK), good_answer()])
    result = asked.provider.turns[1].messages[-1].result
    assert isinstance(result, ToolError)
    assert result.field == "query"
    assert asked.outcome.stop_reason is StopReason.ANSWERED


def test_a_tool_asked_for_after_the_last_call_is_refused_and_not_run():
    corpus = gazette()
    asked = ask([search(), search(), good_answer()], corpus=corpus, limits=Limits(tool_calls=1, turns=3))
    assert corpus.calls == ["search_documents"]
    assert asked.log.of(EventKind.TOOL_COMPLETED)[1]["error"]["code"] == "tool_not_offered"


def test_at_the_turn_limit_the_last_draft_is_kept_and_labelled():
    first, last = answer("Primera.", []), answer("Segunda.", [])
    asked = ask([first, last], limits=Limits(turns=2))
    outcome = asked.outcome
    assert outcome.stop_reason is StopReason.TURN_LIMIT
    assert outcome.answer.text == "Segunda."
    assert [(warning.code, warning.text) for warning in outcome.warnings] == [
        (RemarkCode.TURN_LIMIT, "La investigación llegó al límite de turnos."),
        (RemarkCode.NO_CITATIONS, "La respuesta no cita ningún pasaje leído."),
    ]
    assert len(asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)) == 1


def test_an_uncovered_kept_answer_names_what_is_missing():
    asked = ask(
        [search(), read(CHUNK), good_answer()],
        question="Compara el salario mínimo de 2025 y 2026.",
        limits=Limits(turns=3),
    )
    assert not asked.outcome.coverage.complete
    limit, incomplete = asked.outcome.warnings
    assert (limit.code, incomplete.code) == (RemarkCode.TURN_LIMIT, RemarkCode.INCOMPLETE)
    assert incomplete.text.startswith("Respuesta incompleta: falta un pasaje que hable de 2025.")
    assert incomplete.values == {"requirement": asked.outcome.coverage.missing}


def test_the_tool_limit_is_named_when_it_ended_the_search():
    asked = ask([search(), answer("Nada.", []), answer("Nada.", [])], limits=Limits(turns=3, tool_calls=1))
    assert asked.outcome.stop_reason is StopReason.TOOL_LIMIT


def test_an_empty_draft_does_not_replace_a_kept_one():
    asked = ask([answer("Algo.", []), Draft("")], limits=Limits(turns=2))
    assert asked.outcome.answer.text == "Algo."


def test_without_any_draft_the_outcome_has_no_answer():
    asked = ask([search()], limits=Limits(turns=1))
    assert asked.outcome.answer is None
    assert not asked.outcome.verification.citations_read
    assert [warning.code for warning in asked.outcome.warnings] == [
        RemarkCode.TURN_LIMIT,
        RemarkCode.NO_ANSWER,
    ]
    assert asked.log.kinds[-1] is EventKind.VERIFICATION_COMPLETED


def test_free_text_is_sent_back_and_kept_as_text_at_the_limit():
    text = Draft(f"Son 315.04 pesos [{CHUNK}].")
    asked = ask([search(), read(CHUNK), text, text], limits=Limits(turns=4))
    assert "objeto JSON" in asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)[0]["reasons"][0]["text"]
    assert asked.outcome.stop_reason is StopReason.TURN_LIMIT
    assert asked.outcome.answer.text == text.text
    assert asked.outcome.answer.citations == (CHUNK,)
