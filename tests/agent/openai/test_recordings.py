"""Recordings of runs that went over a wire, in both formats, with the real client."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dofpilot.agent.conversation import ToolRequest, Usage
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.recorded import RecordedProvider
from dofpilot.agent.recording.recorder import Recorder
from dofpilot.agent.recording.replaying import replay, without_times
from dofpilot.agent.recording.transcript import Ending, Header, Transcript, line_of
from dofpilot.agent.render.public import public_result
from dofpilot.agent.runner import run
from dofpilot.corpus.types import Strategy
from tests.agent.asking import AS_OF, QUESTION, Log
from tests.agent.fake_corpus import gazette
from tests.agent.openai.talking import (
    AT_ONCE,
    GOOD,
    KEY,
    Make,
    body_of,
    connection,
    provider,
    read,
    said,
    search,
)
from tests.agent.openai_server import Answer, OpenAIServer
from tests.agent.recording.taping import exchanges, through_a_file

BUSY = Answer({"error": {"message": f"Ahora no, {KEY}"}}, 429, AT_ONCE)


def record(make: Make, server: OpenAIServer, *answers: Answer) -> tuple[Transcript, Log, Outcome | None]:
    server.play(*answers)
    asked = provider(make, connection(server, max_retries=1))
    recorder, log, outcome, code = Recorder(), Log(), None, None
    reader = recorder.reader(gazette())
    try:
        outcome = run(QUESTION, AS_OF, 1, asked, reader, Limits(), log, respond=recorder.respond)
    except AgentFailure as failure:
        code = failure.code
    header = Header("1", QUESTION, AS_OF, 1, asked.identity, Limits(), Strategy.LEXICAL, None, {})
    ending = Ending(len(log.events), code, outcome.stop_reason if outcome else None)
    return through_a_file(Transcript(header, tuple(recorder.entries), ending)), log, outcome


def whole(make: Make) -> tuple[Answer, ...]:
    return search(make), BUSY, read(make), said(make, GOOD)


def test_each_request_is_recorded_as_it_was_sent_with_what_came_back(
    server: OpenAIServer, make: Make
) -> None:
    transcript, _, _ = record(make, server, *whole(make))
    first, second, third = exchanges(transcript)
    calls = [*first.calls, *second.calls, *third.calls]
    assert [call.request for call in calls] == [received.body for received in server.received]
    assert [call.status for call in calls] == [200, 429, 200, 200]
    assert [len(exchange.calls) for exchange in (first, second, third)] == [1, 2, 1]
    assert calls[0].reply == whole(make)[0].body
    assert third.usage == Usage(120, 15)


def test_the_key_is_in_no_recording(server: OpenAIServer, make: Make) -> None:
    transcript, _, _ = record(make, server, *whole(make))
    assert "Ahora no, ***" in line_of(exchanges(transcript)[1])
    assert KEY not in "".join(map(line_of, (transcript.header, *transcript.entries)))


def test_a_run_over_a_wire_is_the_same_again_without_it(server: OpenAIServer, make: Make) -> None:
    transcript, log, outcome = record(make, server, *whole(make))
    assert outcome is not None
    received, again = server.play(BUSY), Log()
    repeated = replay(transcript, again)
    assert again.events == log.events
    assert without_times(public_result(repeated)) == without_times(public_result(outcome))
    assert received == []


def test_a_failure_over_a_wire_leaves_its_requests(server: OpenAIServer, make: Make) -> None:
    empty = Answer({**body_of(said(make, "")), "choices": [], "output": []})
    transcript, log, _ = record(make, server, empty, BUSY)
    (exchange,) = exchanges(transcript)
    assert exchange.failure is FailureCode.RATE_LIMITED
    assert [call.status for call in exchange.calls] == [200, 429]
    assert exchange.usage == Usage(120, 15)
    with pytest.raises(AgentFailure) as failure:
        replay(transcript, again := Log())
    assert failure.value.code is FailureCode.RATE_LIMITED
    assert again.events == log.events


def test_what_a_provider_carries_from_turn_to_turn_is_recorded(server: OpenAIServer, make: Make) -> None:
    """Equality does not look at it, so that it is looked at here."""
    sealed = ({"type": "reasoning", "id": "rs_1", "encrypted_content": "…"},)
    transcript, _, _ = record(make, server, *whole(make))
    first = exchanges(transcript)[0]
    assert isinstance(first.reply, ToolRequest)
    carrying = replace(first, reply=replace(first.reply, carried=sealed))
    kept = through_a_file(replace(transcript, entries=(carrying, *transcript.entries[1:])))
    reply = exchanges(kept)[0].reply
    assert reply is not None
    assert reply.carried == sealed


def test_the_provider_of_recordings_needs_no_server(server: OpenAIServer, make: Make) -> None:
    transcript, _, outcome = record(make, server, *whole(make))
    received = server.play(BUSY)
    asked = RecordedProvider([transcript])
    again = run(QUESTION, AS_OF, 1, asked, gazette(), Limits(), Log())
    assert outcome is not None
    assert again.answer == outcome.answer
    assert (asked.identity.provider, asked.identity.model) == ("recorded", "modelo")
    assert received == []
