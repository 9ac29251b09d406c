"""A recorded run is executed again, to the same events and the same end."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from dofpilot.agent.conversation import Usage
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import RemarkCode, StopReason
from dofpilot.agent.providers.scripted import answer, tool
from dofpilot.agent.recording.replaying import Diverged, replay
from dofpilot.agent.recording.transcript import Ending
from dofpilot.agent.wording import WHY_LITTLE_TIME
from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError, InvalidRequest
from dofpilot.corpus.types import Strategy
from tests.agent.any_runs import Call, Move, Plan, plans
from tests.agent.asking import CHUNK, Log, good_answer, read, search
from tests.agent.fake_corpus import WAGES_2026
from tests.agent.recording.taping import changed, replayed, tape, told

GOOD = (Move(search(), Usage(100, 20)), Move(read(CHUNK), share=0.1), Move(good_answer(), share=0.2))
DRAFT = Move(answer("Algo.", []))
GAVE_UP = Move(search(), Usage(7, 3), failure=FailureCode.DEADLINE_EXCEEDED)


@settings(max_examples=150, deadline=None)
@given(plans)
def test_any_recorded_run_is_the_same_again(plan):
    taped = tape(plan)
    assert told(replayed(taped.transcript)) == told(taped.ended)


@pytest.mark.parametrize(
    ("plan", "end"),
    [
        (Plan(GOOD), StopReason.ANSWERED),
        (Plan((*GOOD[:2], DRAFT), Limits(turns=3)), StopReason.TURN_LIMIT),
        (Plan((DRAFT, Move(search(), hangs=True))), StopReason.TIME_LIMIT),
        (Plan((DRAFT, replace(DRAFT, failure=FailureCode.DEADLINE_EXCEEDED))), StopReason.TIME_LIMIT),
        (Plan((DRAFT, GAVE_UP)), StopReason.TIME_LIMIT),
        (Plan((*GOOD[:1], DRAFT, *GOOD[1:]), calls=(Call(), Call(400))), StopReason.TIME_LIMIT),
        (Plan(GOOD, calls=(Call(), Call(226))), StopReason.ANSWERED),
        (Plan((Move(search(), hangs=True),)), FailureCode.DEADLINE_EXCEEDED),
        (Plan(GOOD, calls=(Call(400),)), FailureCode.DEADLINE_EXCEEDED),
        (Plan(GOOD, stop_after=0), FailureCode.CANCELLED),
        (Plan(GOOD, stop_after=4), FailureCode.CANCELLED),
        (Plan(GOOD, stop_after=5, stop_code=FailureCode.DEADLINE_EXCEEDED), FailureCode.DEADLINE_EXCEEDED),
        (Plan((DRAFT, Move(search(), stops=FailureCode.INTERRUPTED))), FailureCode.INTERRUPTED),
        (Plan((*GOOD[:1], Move(search(), failure=FailureCode.RATE_LIMITED))), FailureCode.RATE_LIMITED),
        (Plan(GOOD, calls=(Call(), Call(error=IntegrityError("x")))), FailureCode.CORPUS_UNAVAILABLE),
        (Plan(GOOD, calls=(Call(error=CorpusUnavailable("x")),)), FailureCode.CORPUS_UNAVAILABLE),
        (Plan((*GOOD[:1], *GOOD), calls=(Call(error=InvalidRequest("query", "no")),)), StopReason.ANSWERED),
    ],
)
def test_each_way_to_end_is_the_same_again(plan, end):
    taped = tape(plan)
    assert end in (taped.ended.failure, taped.ended.outcome and taped.ended.outcome.stop_reason)
    again = replayed(taped.transcript)
    assert told(again) == told(taped.ended)
    assert end in (again.failure, again.outcome and again.outcome.stop_reason)


def test_a_turn_that_closed_for_little_time_closes_for_it_again():
    taped = tape(Plan(GOOD, calls=(Call(), Call(226))))
    (*_, closing) = replayed(taped.transcript).log.of(EventKind.MODEL_TURN_STARTED)
    assert closing["why"] == WHY_LITTLE_TIME


def test_neither_the_clock_nor_the_corpus_nor_the_provider_of_the_run_is_used():
    taped = tape(Plan(GOOD))
    taped.ended.corpus.error = CorpusUnavailable("gone")
    turns, now = len(taped.ended.provider.turns), taped.ended.clock.now
    assert told(replayed(taped.transcript)) == told(taped.ended)
    assert (len(taped.ended.provider.turns), taped.ended.clock.now) == (turns, now)


def test_its_searches_are_asked_for_as_they_were():
    taped = tape(Plan(GOOD, strategy=Strategy.HYBRID))
    assert taped.transcript.entries[1].arguments["strategy"] == "hybrid"
    assert told(replayed(taped.transcript)) == told(taped.ended)
    assert replayed(taped.transcript).outcome.vector_used


def test_the_strategy_given_up_is_told_again():
    transcript = tape(Plan(GOOD)).transcript
    given_up = replace(transcript.header, given_up=Strategy.HYBRID)
    codes = [item.code for item in replayed(replace(transcript, header=given_up)).outcome.warnings]
    assert codes == [RemarkCode.VECTORS_GONE]


@pytest.mark.parametrize("events", [0, 1, 2, 3, 4, 5])
def test_a_run_whose_process_was_killed_stops_where_it_had_got(events):
    taped = tape(Plan(GOOD))
    killed = replace(taped.transcript, entries=entries_by(taped, events), ending=interrupted(events))
    again = replayed(killed)
    assert again.failure is FailureCode.INTERRUPTED
    assert again.log.events == taped.ended.log.events[:events]


def test_a_turn_in_which_the_process_was_killed_began_no_sooner_than_what_came_before_took():
    taped = tape(Plan(GOOD, calls=(Call(), Call(226))))
    killed = replace(taped.transcript, entries=taped.transcript.entries[:4], ending=interrupted(8))
    again = replayed(killed)
    assert again.log.events == taped.ended.log.events[:8]
    assert again.log.events[-1].payload["why"] == WHY_LITTLE_TIME


def test_a_turn_in_which_the_process_was_killed_began_after_the_time_that_none_of_them_took():
    """What the run spent between its turns counts too: it is told by when the last of them began."""
    taped = tape(Plan(GOOD))
    later = changed(taped.transcript, 2, elapsed=150.0, seconds=80.0)
    again = replayed(replace(later, entries=later.entries[:4], ending=interrupted(8)))
    assert again.failure is FailureCode.INTERRUPTED
    assert again.log.events[-1].payload["why"] == WHY_LITTLE_TIME


def entries_by(taped, events):
    """What was completed before the last of so many events: each waits for its own event to be stored."""
    # started, turn, tool, done, turn, tool, done: one exchange before each tool, its call before it is done.
    return taped.transcript.entries[: [0, 0, 0, 1, 2, 2][events]]


def interrupted(events):
    return Ending(events, FailureCode.INTERRUPTED, None)


def test_a_run_that_failed_after_its_last_step_fails_again():
    taped = tape(Plan(GOOD))
    events = len(taped.ended.log.events)
    again = replayed(replace(taped.transcript, ending=interrupted(events)))
    assert again.failure is FailureCode.INTERRUPTED
    assert again.log.events == taped.ended.log.events


def test_a_listener_that_raises_ends_the_replay():
    class Enough(Exception):
        pass

    def listener(event):
        raise Enough

    with pytest.raises(Enough):
        replay(tape(Plan(GOOD)).transcript, listener)


def diverged(transcript):
    with pytest.raises(Diverged) as caught:
        replay(transcript, Log())
    return str(caught.value)


def test_another_argument_of_a_tool_is_told():
    transcript = tape(Plan(GOOD)).transcript
    other = changed(transcript, 0, reply=search("salario mínimo"))
    assert diverged(other).startswith('call 1 is search_documents {"query":"salario mínimo",')
    assert 'recorded search_documents {"query":"salario",' in diverged(other)


def test_another_operation_is_told():
    transcript = tape(Plan(GOOD)).transcript
    other = changed(transcript, 2, reply=tool("get_document_outline", document_id=WAGES_2026.document_id))
    assert diverged(other).startswith("call 2 is get_document_outline ")
    assert "recorded read_chunks" in diverged(other)


def test_an_operation_too_many_is_told():
    transcript = tape(Plan(GOOD)).transcript
    assert "call 2 (read_chunks) was not recorded" in diverged(without(transcript, 3))


def test_a_turn_too_many_is_told():
    transcript = replace(tape(Plan(GOOD)).transcript, ending=interrupted(9))
    assert "turn 3 was not recorded" in diverged(without(transcript, 4))


def without(transcript, place):
    entries = transcript.entries
    return replace(transcript, entries=(*entries[:place], *entries[place + 1 :]))


def test_other_tools_than_were_offered_are_told():
    transcript = tape(Plan(GOOD)).transcript
    assert "turn 2 offers" in diverged(changed(transcript, 2, tools=("read_chunks",)))
    assert "turn 2 offers" in diverged(changed(transcript, 2, missing=("otra cosa",)))


def test_what_a_call_returned_must_be_readable():
    transcript = tape(Plan(GOOD)).transcript
    returned = transcript.entries[1].returned
    returned["hits"][0]["publication"]["publication_date"] = "ayer"
    assert "call 1 (search_documents): returned.hits.0.publication.publication_date" in diverged(transcript)


@pytest.mark.parametrize("more", [-1, 1])
def test_another_number_of_steps_is_told(more):
    transcript = tape(Plan(GOOD)).transcript
    ending = replace(transcript.ending, events=transcript.ending.events + more)
    assert "step" in diverged(replace(transcript, ending=ending))


def test_another_reason_to_end_is_told():
    transcript = tape(Plan(GOOD)).transcript
    ending = replace(transcript.ending, stop_reason=StopReason.TURN_LIMIT)
    assert "answered" in diverged(replace(transcript, ending=ending))


def test_entries_that_nobody_asked_for_are_told():
    transcript = tape(Plan(GOOD)).transcript
    extra = replace(transcript, entries=(*transcript.entries, transcript.entries[1]))
    assert "3 turns and 2 calls" in diverged(extra)


def test_a_failure_where_none_was_recorded_is_told():
    transcript = tape(Plan(GOOD)).transcript
    failed = changed(transcript, 2, reply=None, failure=FailureCode.RATE_LIMITED)
    assert "rate_limited" in diverged(failed)


def test_a_failure_before_the_recorded_one_is_told():
    taped = tape(Plan((*GOOD[:2], replace(GOOD[2], failure=FailureCode.RATE_LIMITED))))
    sooner = changed(taped.transcript, 2, reply=None, failure=FailureCode.PROVIDER_REFUSED)
    assert "after 5 of 8 steps with provider_refused" in diverged(sooner)
