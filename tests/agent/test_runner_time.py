"""Deadlines and stops, with providers that hang until a test lets them go."""

import threading

import pytest

from dofpilot.agent.conversation import Reply, Usage
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.providers.scripted import ScriptedProvider, answer
from dofpilot.agent.runner import run
from dofpilot.agent.wording import WHY_LITTLE_TIME
from tests.agent.asking import AS_OF, CHUNK, QUESTION, Log, ask, good_answer, read, search
from tests.agent.fake_corpus import FakeCorpus, gazette


class Clock:
    """Seconds that pass only when a step says so."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def after(self, seconds, content):
        def respond(turn):
            self.now += seconds
            return Reply(content)

        return respond


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def hanging():
    """A step that hangs until the test is over."""
    release = threading.Event()

    def respond(turn):
        release.wait()
        return Reply(good_answer())

    yield respond
    release.set()


@pytest.fixture
def overdue(clock, hanging):
    """A step that hangs past the deadline of its turn, not of the run."""

    def respond(turn):
        clock.now += 91
        return hanging(turn)

    return respond


def failure_of(steps, **more):
    with pytest.raises(AgentFailure) as failure:
        ask(steps, **more)
    return failure.value.code


def test_a_hung_provider_ends_the_run_at_the_turns_deadline(clock, overdue):
    assert failure_of([overdue], clock=clock) is FailureCode.DEADLINE_EXCEEDED


def test_a_draft_survives_a_provider_that_hangs_afterwards(clock, overdue):
    asked = ask([answer("Algo.", []), overdue], clock=clock)
    assert asked.outcome.stop_reason is StopReason.TIME_LIMIT
    assert asked.outcome.answer.text == "Algo."
    assert asked.outcome.warnings[0].code == "time_limit"
    assert asked.log.kinds[-1] is EventKind.VERIFICATION_COMPLETED


def test_the_runs_deadline_without_a_draft_is_a_failure(clock):
    steps = [clock.after(301, search()), read(CHUNK), good_answer()]
    assert failure_of(steps, clock=clock) is FailureCode.DEADLINE_EXCEEDED


def test_the_runs_deadline_keeps_a_draft(clock):
    steps = [search(), read(CHUNK), clock.after(301, answer("Algo.", [])), good_answer()]
    asked = ask(steps, clock=clock)
    assert asked.outcome.stop_reason is StopReason.TIME_LIMIT
    assert len(asked.provider.turns) == 3


def test_a_provider_that_gives_up_in_time_keeps_a_draft_too():
    late = AgentFailure(FailureCode.DEADLINE_EXCEEDED, "timeout")
    asked = ask([answer("Algo.", []), late])
    assert asked.outcome.stop_reason is StopReason.TIME_LIMIT


def test_a_turn_is_given_no_more_than_what_is_left_of_the_run(clock):
    asked = ask([clock.after(220, search()), read(CHUNK), good_answer()], clock=clock)
    assert [turn.seconds for turn in asked.provider.turns] == [90, 80, 80]
    assert [turn.elapsed for turn in asked.provider.turns] == [0, 220, 220]


def test_what_closing_takes_is_kept_of_a_runs_time():
    assert Limits().closing_seconds == 75
    assert Limits(turn_seconds=20).closing_seconds == 20
    assert Limits(run_seconds=40).closing_seconds == 10


@pytest.mark.parametrize(("waited", "offers_tools"), [(224, True), (225, False), (290, False)])
def test_with_little_time_left_the_answer_is_asked_for(clock, waited, offers_tools):
    asked = ask([search(), clock.after(waited, read(CHUNK)), good_answer()], clock=clock)
    assert [bool(turn.tools) for turn in asked.provider.turns] == [True, True, offers_tools]
    assert asked.outcome.stop_reason is StopReason.ANSWERED
    closing = asked.log.of(EventKind.MODEL_TURN_STARTED)[-1]
    assert (closing.get("why") == WHY_LITTLE_TIME) is not offers_tools
    assert closing["message"].startswith("Decide" if offers_tools else "Prepara la respuesta")


def test_a_tool_asked_for_with_little_time_left_is_refused_and_not_run(clock):
    corpus = gazette()
    steps = [search(), clock.after(230, read(CHUNK)), search(), good_answer()]
    asked = ask(steps, clock=clock, corpus=corpus)
    assert corpus.calls == ["search_documents", "read_chunks"]
    assert asked.log.of(EventKind.TOOL_COMPLETED)[-1]["error"]["code"] == "tool_not_offered"
    assert asked.outcome.stop_reason is StopReason.ANSWERED


def test_waiting_for_the_provider_is_measured_apart(clock):
    outcome = ask([clock.after(2, search()), clock.after(3, read(CHUNK)), good_answer()], clock=clock).outcome
    timing = outcome.timing
    assert (timing.worked_ms, timing.provider_ms, timing.tools_ms) == (5000, 5000, 0)


def test_a_tools_time_is_that_of_the_turn_that_asked_for_it(clock):
    class Slow(FakeCorpus):
        def read_chunks(self, chunk_ids, neighbor_window=0):
            clock.now += 0.25
            return super().read_chunks(chunk_ids, neighbor_window)

    steps = [clock.after(2, search()), clock.after(3, read(CHUNK)), clock.after(1, good_answer())]
    outcome = ask(steps, clock=clock, corpus=Slow(gazette().documents)).outcome
    assert [(turn.provider_ms, turn.tools_ms) for turn in outcome.turns] == [
        (2000, 0),
        (3000, 250),
        (1000, 0),
    ]
    assert (outcome.timing.worked_ms, outcome.timing.tools_ms) == (6250, 250)


def test_a_turn_that_brought_no_reply_counts_with_its_time_and_no_tokens(clock, overdue):
    outcome = ask([Reply(answer("Algo.", []), Usage(7, 3)), overdue], clock=clock).outcome
    assert [(turn.usage, turn.provider_ms) for turn in outcome.turns] == [(Usage(7, 3), 0), (Usage(), 91_000)]
    assert outcome.usage == Usage(7, 3)


def test_a_stop_ends_the_run_while_the_provider_hangs(hanging):
    asked_to_stop = iter([None, None, FailureCode.INTERRUPTED])
    code = failure_of([hanging], should_stop=lambda: next(asked_to_stop))
    assert code is FailureCode.INTERRUPTED


def test_a_stop_between_steps_lets_no_tool_run():
    corpus, stop = gazette(), []

    def respond(turn):
        stop.append(FailureCode.CANCELLED)
        return Reply(search())

    code = failure_of([respond], corpus=corpus, should_stop=lambda: stop[0] if stop else None)
    assert code is FailureCode.CANCELLED
    assert corpus.calls == []


def test_a_stop_that_names_the_deadline_does_not_keep_the_draft():
    stop = []

    def respond(turn):
        stop.append(FailureCode.DEADLINE_EXCEEDED)
        return Reply(good_answer())

    steps = [answer("Algo.", []), respond]
    assert failure_of(steps, should_stop=lambda: stop[0] if stop else None) is FailureCode.DEADLINE_EXCEEDED


def test_a_late_reply_is_dropped_and_nothing_is_reported_after_the_end(clock):
    release, replied = threading.Event(), threading.Event()

    def respond(turn):
        clock.now += 91
        release.wait()
        replied.set()
        return Reply(search())

    log, corpus = Log(), gazette()
    with pytest.raises(AgentFailure):
        run(QUESTION, AS_OF, 1, ScriptedProvider([respond]), corpus, Limits(), log, clock=clock)
    reported = list(log.events)
    release.set()
    assert replied.wait(5)
    for thread in threading.enumerate():
        if thread.name == "provider-call":
            thread.join(5)
    assert log.events == reported
    assert corpus.calls == []


def test_a_hung_providers_thread_does_not_keep_the_process_alive(clock, overdue):
    failure_of([overdue], clock=clock)
    waiting = [thread for thread in threading.enumerate() if thread.name == "provider-call"]
    assert waiting
    assert all(thread.daemon for thread in waiting)
