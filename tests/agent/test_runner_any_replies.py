"""Whatever befalls a run, it ends within its limits and shows only what was read."""

import json
import re
from itertools import pairwise

from hypothesis import example, given, settings

from dofpilot.agent.conversation import Draft, Usage
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import PAYLOAD_LIMIT, EventKind
from dofpilot.agent.outcome import Outcome, PremiseStatus, RemarkCode, RequirementKind, StopReason
from dofpilot.agent.render.public import public_result
from tests.agent.any_replies import start
from tests.agent.any_runs import ABOUT_NOTHING, COMPARING, Ended, Move, Plan, plans, play
from tests.agent.asking import CHUNK


def carried_out(ended: Ended, tool: str | None = None) -> int:
    """Calls that the corpus carried out, and did not refuse."""
    completed = ended.log.of(EventKind.TOOL_COMPLETED)
    return sum("error" not in payload and tool in (None, payload["tool"]) for payload in completed)


def check_events(ended: Ended) -> None:
    log, limits = ended.log, ended.plan.limits
    assert ended.late == []
    assert log.kinds[0] is EventKind.AGENT_STARTED
    assert all(len(json.dumps(event.payload).encode()) <= PAYLOAD_LIMIT for event in log.events)
    turns = [payload["turn"] for payload in log.of(EventKind.MODEL_TURN_STARTED)]
    assert turns == list(range(1, len(turns) + 1))
    for kind, following in pairwise(log.kinds):
        assert kind is not EventKind.VERIFICATION_COMPLETED
        assert (kind is EventKind.TOOL_STARTED) <= (following is EventKind.TOOL_COMPLETED)
    assert carried_out(ended) <= limits.tool_calls
    assert carried_out(ended, "search_documents") <= limits.document_searches


def check_turns(ended: Ended) -> None:
    limits, turns = ended.plan.limits, ended.provider.turns
    assert len(turns) <= limits.turns
    assert len(ended.corpus.calls) <= limits.turns
    for turn in turns:
        assert 0 < turn.seconds <= limits.turn_seconds
        assert turn.elapsed + turn.seconds <= limits.run_seconds + 1e-9
        closing = limits.run_seconds - turn.elapsed <= limits.closing_seconds
        assert not (turn.tools and closing)
    assert not (len(turns) == limits.turns and turns[-1].tools)
    slept = sum(call.seconds for call in ended.plan.calls[: len(ended.corpus.calls)])
    assert ended.clock.now - 100 <= limits.run_seconds + slept + 1e-6


def check_stop(ended: Ended) -> None:
    if ended.plan.stop_after is not None:
        assert EventKind.MODEL_TURN_STARTED not in ended.log.kinds[ended.plan.stop_after :]


def check_failure(ended: Ended) -> None:
    assert EventKind.VERIFICATION_COMPLETED not in ended.log.kinds
    plan = ended.plan
    played = plan.moves[: len(ended.provider.turns)]
    planned = {code for move in played for code in (move.failure, move.stops)}
    if plan.stop_after is not None:
        planned.add(plan.stop_code)
    if any(call.error for call in plan.calls[: len(ended.corpus.calls)]):
        planned.add(FailureCode.CORPUS_UNAVAILABLE)
    assert ended.failure in planned | {FailureCode.DEADLINE_EXCEEDED}


def check_spending(ended: Ended) -> None:
    outcome = ended.outcome
    assert len(outcome.turns) == len(ended.log.of(EventKind.MODEL_TURN_STARTED))
    assert outcome.usage == sum((turn.usage for turn in outcome.turns), Usage())
    assert outcome.tool_calls == carried_out(ended)
    known = [turn.usage.input_tokens for turn in outcome.turns if turn.usage.input_tokens is not None]
    assert outcome.usage.input_tokens == (sum(known) if known else None)
    assert outcome.timing.worked_ms >= outcome.timing.provider_ms


def check_outcome(ended: Ended) -> None:
    assert ended.log.kinds[-1] is EventKind.VERIFICATION_COMPLETED
    shown_as_read = {
        passage["chunk_id"]
        for payload in ended.log.of(EventKind.TOOL_COMPLETED)
        for passage in payload.get("passages", [])
        if passage["standing"] == "read"
    }
    result = public_result(ended.outcome)
    json.dumps(result, ensure_ascii=False).encode()
    assert {passage["chunk_id"] for passage in result["evidence"]} == shown_as_read
    assert result["verification"]["cutoff"]["respected"]
    if result["answer"]:
        cited = set(result["answer"]["citations"])
        assert cited <= shown_as_read
        assert {int(marker) for marker in re.findall(r"\[(-?\d+)\]", result["answer"]["text"])} <= cited
    if ended.outcome.stop_reason is StopReason.ANSWERED:
        assert result["answer"]["citations"]
        assert result["verification"]["hops_met"]
        check_coverage(ended.outcome)


def check_coverage(answered: Outcome) -> None:
    """An accepted answer covers the question, or says what is true of a norm that there is not."""
    codes = [warning.code for warning in answered.warnings]
    assert answered.coverage.complete is not (RemarkCode.FALSE_PREMISE in codes)
    if answered.coverage.missing:
        assert {item.kind for item in answered.coverage.missing} == {RequirementKind.NORM}
        assert answered.answer.premise_status is PremiseStatus.FALSE
        assert answered.verification.premise_correction


def stubborn(question: str, text: str, premise: str) -> Plan:
    """One answer again and again, after the right search and reading."""
    final = {"answer": text, "citations": [CHUNK], "premise_status": premise}
    moves = [*start, *[Draft(json.dumps(final))] * 6]
    return Plan(tuple(map(Move, moves)), question=question)


AMOUNT = f"Son 315.04 pesos [{CHUNK}]."


@settings(max_examples=150, deadline=None)
@given(plans)
@example(stubborn(ABOUT_NOTHING, AMOUNT, "false"))
@example(stubborn(ABOUT_NOTHING, AMOUNT, "supported"))
@example(stubborn(ABOUT_NOTHING, f"No hay tal [{CHUNK}].", "false"))
@example(stubborn(COMPARING, AMOUNT, "false"))
def test_whatever_happens_a_run_ends_within_its_limits_and_shows_only_what_was_read(plan):
    ended = play(plan)
    check_events(ended)
    check_turns(ended)
    check_stop(ended)
    if ended.outcome is None:
        check_failure(ended)
        return
    check_outcome(ended)
    check_spending(ended)
