"""What is noted of a run as it goes."""

import threading
from datetime import date

import pytest

from dofpilot.agent.conversation import Reply, Usage, WireCall
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.providers.scripted import ScriptedProvider, answer
from dofpilot.agent.recording.entries import CorpusFault, FaultKind, Operation
from dofpilot.agent.recording.recorder import Recorder
from dofpilot.agent.runner import run
from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError, InvalidRequest
from dofpilot.corpus.types import Filters
from tests.agent.any_runs import Call, Move, Plan
from tests.agent.asking import AS_OF, CHUNK, QUESTION, Log, good_answer, read, search
from tests.agent.fake_corpus import FakeCorpus, gazette
from tests.agent.recording.taping import corpus_calls, exchanges, tape

SENT = WireCall({"model": "m", "input": ["¿Cuánto?"]}, 0.5, 200, {"id": "r-1", "output": []})
REFUSED = WireCall({"model": "m"}, 0.1, 429, {"error": "slow down"}, "rate limited")


def record(steps, recorder=None, **more):
    """What a run with these steps leaves in a recorder, and how it failed, if it did."""
    recorder = recorder or Recorder()
    corpus = recorder.reader(more.pop("corpus", gazette()))
    failure = None
    try:
        run(
            QUESTION, AS_OF, 1, ScriptedProvider(steps), corpus, more.pop("limits", Limits()), Log(),
            respond=recorder.respond, **more,
        )  # fmt: skip
    except AgentFailure as caught:
        failure = caught
    return recorder.entries, failure


def test_replies_and_returns_are_noted_in_the_order_in_which_they_came():
    entries, _ = record([search(), read(CHUNK), good_answer()])
    assert [getattr(entry, "operation", None) or entry.reply for entry in entries] == [
        search(), Operation.SEARCH_DOCUMENTS, read(CHUNK), Operation.READ_CHUNKS, good_answer(),
    ]  # fmt: skip
    assert [entry.turn for entry in entries if not hasattr(entry, "operation")] == [1, 2, 3]


def test_an_exchange_holds_what_the_provider_was_told_and_what_it_took():
    steps = [Reply(search(), Usage(100, 20, 60, 5), (REFUSED, SENT)), read(CHUNK), good_answer()]
    (first, *_), _ = record(steps)
    assert first.tools == ("list_publications", "search_documents")
    assert (first.usage, first.calls) == (Usage(100, 20, 60, 5), (REFUSED, SENT))
    asked_with_a_demand = Plan((Move(search(), share=0.5), Move(answer("x", []))), Limits(turns=2), hops=2)
    first, second = exchanges(tape(asked_with_a_demand).transcript)
    assert first.missing == second.missing == ("el mínimo de 2 documentos distintos",)
    assert (first.elapsed, second.elapsed) == (0.0, 45.0)


def test_a_call_holds_all_its_arguments_by_name():
    reader = (recorder := Recorder()).reader(gazette())
    reader.list_publications(Filters(as_of=AS_OF, date_from=date(2025, 1, 1)), 3)
    reader.search_documents("salario", Filters(), 5, prefer_recent=True)
    reader.search_evidence("salario", (5775, 5745), Filters())
    reader.get_document_outline(5775)
    reader.read_chunks((CHUNK,), 1)
    listed, found, located, outlined, was_read = [entry.arguments for entry in recorder.entries]
    none = {"as_of": None, "date_from": None, "date_to": None, "section": None}
    assert listed == {
        "filters": none | {"as_of": "2026-04-24", "date_from": "2025-01-01"}, "limit": 3, "institution": None,
    }  # fmt: skip
    assert found == {
        "query": "salario", "filters": none, "limit": 5, "strategy": "lexical", "prefer_recent": True,
    }  # fmt: skip
    assert located == {
        "query": "salario", "document_ids": [5775, 5745], "filters": none, "limit": 10, "strategy": "lexical",
    }  # fmt: skip
    assert outlined == {"document_id": 5775}
    assert was_read == {"chunk_ids": [CHUNK], "neighbor_window": 1}


def test_a_reader_that_is_recorded_returns_the_same():
    plain, recorded = gazette(), Recorder().reader(gazette())
    assert recorded.search_documents("salario", Filters()) == plain.search_documents("salario", Filters())
    assert recorded.read_chunks([CHUNK], 1) == plain.read_chunks([CHUNK], 1)


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (InvalidRequest("query", "no"), CorpusFault(FaultKind.INVALID_REQUEST, "query", "no")),
        (IntegrityError("flipped"), CorpusFault(FaultKind.INTEGRITY, "", "flipped")),
        (CorpusUnavailable("gone"), CorpusFault(FaultKind.UNAVAILABLE, "", "gone")),
    ],
)
def test_an_error_of_the_corpus_is_noted_and_raised_and_can_be_raised_again(error, fault):
    corpus = FakeCorpus((), error=error)
    recorder = Recorder()
    with pytest.raises(type(error)):
        recorder.reader(corpus).read_chunks([1])
    (call,) = recorder.entries
    assert (call.returned, call.error) == (None, fault)
    again = call.error.error()
    assert (type(again), str(again)) == (type(error), str(error))


def test_an_error_that_is_a_bug_is_not_noted_as_a_return():
    recorder = Recorder()
    with pytest.raises(KeyError):
        recorder.reader(FakeCorpus((), error=KeyError("x"))).read_chunks([1])
    assert recorder.entries == []


def test_seconds_are_those_that_were_waited():
    ticks = iter([10.0, 12.5, 20.0, 20.25, 30.0, 31.0])
    steps = [search(), answer("Algo.", [])]
    entries, _ = record(steps, Recorder(lambda: next(ticks)), limits=Limits(turns=2))
    assert [entry.seconds for entry in entries] == [2.5, 0.25, 1.0]


def test_a_failure_of_the_provider_is_noted_with_the_requests_that_it_took():
    entries, failure = record([AgentFailure(FailureCode.RATE_LIMITED, "429", (REFUSED, REFUSED))])
    assert failure.code is FailureCode.RATE_LIMITED
    (exchange,) = entries
    assert (exchange.reply, exchange.failure) == (None, FailureCode.RATE_LIMITED)
    assert exchange.calls == (REFUSED, REFUSED)


def test_a_provider_that_gave_up_in_time_leaves_the_requests_that_it_took():
    entries, _ = record([answer("Algo.", []), AgentFailure(FailureCode.DEADLINE_EXCEEDED, "", (SENT,))])
    assert entries[-1].failure is FailureCode.DEADLINE_EXCEEDED
    assert entries[-1].calls == (SENT,)


def test_what_a_failed_turn_took_is_noted_and_counted():
    gave_up = AgentFailure(FailureCode.DEADLINE_EXCEEDED, "", (SENT,), Usage(70, 3))
    recorder = Recorder()
    outcome = run(
        QUESTION, AS_OF, 1, ScriptedProvider([Reply(answer("Algo.", []), Usage(7, 3)), gave_up]), gazette(),
        Limits(), Log(), respond=recorder.respond,
    )  # fmt: skip
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert [entry.usage for entry in recorder.entries] == [Usage(7, 3), Usage(70, 3)]
    assert [turn.usage for turn in outcome.turns] == [Usage(7, 3), Usage(70, 3)]


def test_a_bug_of_the_provider_is_noted_as_what_the_run_made_of_it():
    entries, _ = record([KeyError("choices")])
    assert entries[0].failure is FailureCode.INTERNAL_ERROR


@pytest.mark.parametrize(
    ("move", "failure"),
    [
        (Move(search(), hangs=True), FailureCode.DEADLINE_EXCEEDED),
        (Move(search(), stops=FailureCode.CANCELLED), FailureCode.CANCELLED),
    ],
)
def test_a_reply_that_comes_too_late_is_not_noted(move, failure):
    (exchange,) = exchanges(tape(Plan((move,))).transcript)
    assert (exchange.reply, exchange.failure) == (None, failure)


def test_a_reply_that_comes_after_the_deadline_while_the_run_still_closes_is_not_noted():
    """The run ends with an outcome; the provider replies before anybody takes what was recorded."""
    released, replied = threading.Event(), threading.Event()

    def late(turn):
        released.wait()
        replied.set()
        return Reply(good_answer())

    def listener(event):
        if event.kind == "verification_completed":
            released.set()
            assert replied.wait(5)

    recorder = Recorder()
    outcome = run(
        QUESTION, AS_OF, 1, ScriptedProvider([answer("Algo.", []), late]), recorder.reader(gazette()),
        Limits(turn_seconds=0.05), listener, respond=recorder.respond,
    )  # fmt: skip
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert replied.is_set()
    assert [entry.reply is None for entry in recorder.entries] == [False, True]


def test_a_process_that_is_ended_while_it_waits_leaves_neither_reply_nor_failure():
    def end():
        raise KeyboardInterrupt

    recorder, asked = Recorder(), iter([lambda: None, end])
    with pytest.raises(KeyboardInterrupt):
        record([search()], recorder, should_stop=lambda: next(asked)())
    (exchange,) = recorder.entries
    assert (exchange.reply, exchange.failure) == (None, None)


def test_a_call_that_is_slow_by_the_runs_clock_is_part_of_the_next_turns_elapsed():
    taped = tape(
        Plan((Move(search(), share=0.1), Move(read(CHUNK)), Move(good_answer())), calls=(Call(1.5),))
    )
    assert [exchange.elapsed for exchange in exchanges(taped.transcript)] == [0.0, 10.5, 10.5]
    assert [call.operation for call in corpus_calls(taped.transcript)] == ["search_documents", "read_chunks"]
