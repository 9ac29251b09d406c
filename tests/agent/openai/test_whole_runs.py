"""Misbehaving servers as a whole run meets them: through the client, the tools and the answer's checks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dofpilot.agent.conversation import Usage
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import RemarkCode, StopReason
from dofpilot.agent.render.public import public_result
from dofpilot.agent.runner import run
from tests.agent.asking import AS_OF, CHUNK, QUESTION, Log
from tests.agent.fake_corpus import gazette
from tests.agent.openai.talking import (
    ARGUMENTS,
    CHAT,
    CUT,
    GOOD,
    RESPONSES,
    Make,
    body_of,
    called,
    calling,
    calls_sent,
    connection,
    provider,
    ran,
    read,
    returns_sent,
    said,
    search,
)
from tests.agent.openai_server import (
    Answer,
    Json,
    OpenAIServer,
    chat_call,
    completion,
    function_call,
    message,
    response,
)

SPELLINGS = {
    "null as text": {"query": "salario", "date_from": "null", "date_to": "None", "section": "null"},
    "nothing as text": {"query": "salario", "section": "", "date_to": " NULL "},
    "numbers as text": {"query": "salario", "limit": "5"},
    "all at once": {"query": "salario", "limit": " 5 ", "date_from": "null", "section": "mat"},
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "encode", [lambda value: value, json.dumps, lambda value: json.dumps(json.dumps(value))]
)
def test_arguments_with_one_meaning_are_understood(
    server: OpenAIServer, make: Make, spelling: str, encode: Any
) -> None:
    odd = called(make, "search_documents", encode(SPELLINGS[spelling]))
    done = ran(make, server, odd, read(make), said(make, GOOD))
    assert done.outcome.stop_reason is StopReason.ANSWERED
    assert len(done.received) == 3
    assert done.log.of(EventKind.TOOL_STARTED)[0]["arguments"]["query"] == "salario"
    assert not {"date_from", "date_to"} & done.log.of(EventKind.TOOL_STARTED)[0]["arguments"].keys()


@pytest.mark.parametrize("chunks", [[str(CHUNK)], f"[{CHUNK}]"])
def test_lists_of_numbers_are_understood_as_text_too(server: OpenAIServer, make: Make, chunks: Any) -> None:
    done = ran(make, server, search(make), read(make, chunks=chunks), said(make, GOOD))
    assert done.outcome.answer is not None
    assert done.outcome.answer.citations == (CHUNK,)
    assert len(done.received) == 3


def test_one_of_parallel_calls_is_carried_out(server: OpenAIServer, make: Make) -> None:
    more = ("read_chunks", '{"chunk_ids": [1]}', "call_x")
    both = calling(make, ("search_documents", ARGUMENTS, "call_1"), more)
    done = ran(make, server, both, read(make), said(make, GOOD))
    assert done.outcome.stop_reason is StopReason.ANSWERED
    assert [event["tool"] for event in done.log.of(EventKind.TOOL_STARTED)] == [
        "search_documents",
        "read_chunks",
    ]
    assert [call["id"] for call in calls_sent(make, done.received[2])] == ["call_1", "call_2"]


def test_a_broken_call_is_told_to_the_model_and_corrected(server: OpenAIServer, make: Make) -> None:
    broken = called(make, "search_documents", '{"query": "sal')
    done = ran(make, server, broken, search(make, "call_b"), read(make), said(make, GOOD))
    assert done.outcome.stop_reason is StopReason.ANSWERED
    assert done.log.of(EventKind.TOOL_COMPLETED)[0]["error"]["code"] == "arguments_not_an_object"
    (call,), (returned,) = calls_sent(make, done.received[1]), returns_sent(make, done.received[1])
    assert call == {"id": "call_1", "name": "search_documents", "arguments": "{}"}
    assert "objeto JSON" in returned["text"]


def test_a_cut_call_is_not_carried_out_and_the_model_hears_why(server: OpenAIServer, make: Make) -> None:
    cut = called(make, "search_documents", ARGUMENTS, cut=True)
    done = ran(make, server, cut, search(make, "call_b"), read(make), said(make, GOOD))
    assert done.outcome.stop_reason is StopReason.ANSWERED
    assert len(done.log.of(EventKind.TOOL_STARTED)) == 2
    (revision,) = done.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    assert revision["reasons"][0]["code"] == RemarkCode.CUT
    assert not calls_sent(make, done.received[1])
    assert "límite de longitud" in json.dumps(done.received[1].body, ensure_ascii=False)


def test_a_cut_answer_is_sent_back_and_labelled_when_no_turn_is_left(
    server: OpenAIServer, make: Make
) -> None:
    cut = said(make, GOOD[:-25], cut=True)
    done = ran(make, server, search(make), read(make), cut, said(make, GOOD))
    assert done.outcome.stop_reason is StopReason.ANSWERED
    done = ran(make, server, search(make), read(make), cut, turns=3)
    assert done.outcome.stop_reason is StopReason.TURN_LIMIT
    assert RemarkCode.CUT in [warning.code for warning in done.outcome.warnings]


def test_an_unknown_tool_is_refused_and_corrected(server: OpenAIServer, make: Make) -> None:
    unknown = called(make, "busca en internet", "{}")
    done = ran(make, server, unknown, search(make, "call_b"), read(make), said(make, GOOD))
    assert done.outcome.stop_reason is StopReason.ANSWERED
    assert done.log.of(EventKind.TOOL_COMPLETED)[0]["error"]["code"] == "tool_not_offered"
    assert [call["name"] for call in calls_sent(make, done.received[1])] == ["busca_en_internet"]


@pytest.mark.parametrize("call_id", ["call_1", None, ""])
def test_calls_named_alike_or_not_at_all_stay_apart(server: OpenAIServer, make: Make, call_id: Any) -> None:
    first = called(make, "search_documents", ARGUMENTS, call_id)
    second = called(make, "read_chunks", json.dumps({"chunk_ids": [CHUNK]}), call_id)
    done = ran(make, server, first, second, said(make, GOOD))
    sent = [call["id"] for call in calls_sent(make, done.received[2])]
    assert sent == [returned["id"] for returned in returns_sent(make, done.received[2])]
    assert len(set(sent)) == 2
    assert all(sent)


def test_an_empty_reply_costs_a_turn_and_no_more(server: OpenAIServer, make: Make) -> None:
    empty = {CHAT: completion({"content": None}), RESPONSES: response(message(""))}
    done = ran(make, server, empty[make], search(make), read(make), said(make, GOOD))
    assert done.outcome.stop_reason is StopReason.ANSWERED
    (revision,) = done.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    assert revision["reasons"][0]["code"] == RemarkCode.NO_TEXT
    assert len(done.received) == 4


def test_thoughts_are_seen_by_nobody(server: OpenAIServer, make: Make) -> None:
    thought = "Pienso que la persona quiere saber el salario."
    sealed = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"text": thought}]}
    calling = {
        CHAT: completion(
            {
                "content": f"<think>{thought}</think>",
                "reasoning_content": thought,
                "tool_calls": [chat_call("search_documents", ARGUMENTS)],
            },
            "tool_calls",
        ),
        RESPONSES: response(sealed, function_call("search_documents", ARGUMENTS)),
    }
    answering = {
        CHAT: completion({"content": f"<think>{thought}</think>{GOOD}", "reasoning_content": thought}),
        RESPONSES: response(sealed, message(f"<think>{thought}</think>{GOOD}")),
    }
    done = ran(make, server, calling[make], read(make), answering[make])
    assert done.outcome.stop_reason is StopReason.ANSWERED
    told = json.dumps([event.payload for event in done.log.events], ensure_ascii=False, default=str)
    assert "Pienso" not in told + json.dumps(public_result(done.outcome), ensure_ascii=False, default=str)
    assert thought in json.dumps(done.received[1].body, ensure_ascii=False)


def test_without_usage_the_run_knows_none(server: OpenAIServer, make: Make) -> None:
    silent = [Answer({**body_of(answer), "usage": None}) for answer in (search(make), said(make, GOOD))]
    done = ran(make, server, silent[0], read(make), silent[1])
    assert [turn.usage for turn in done.outcome.turns] == [Usage(), Usage(120, 15), Usage()]


def test_a_failure_after_a_tool_keeps_its_code(server: OpenAIServer, make: Make) -> None:
    quota = Answer({"error": {"message": "sin saldo", "code": "insufficient_quota"}}, 429)
    log = Log()
    server.play(search(make), quota)
    with pytest.raises(AgentFailure) as caught:
        run(QUESTION, AS_OF, 1, provider(make, connection(server)), gazette(), Limits(), log)
    assert caught.value.code is FailureCode.PROVIDER_REFUSED
    assert len(caught.value.calls) == 1
    assert log.kinds[-1] is EventKind.MODEL_TURN_STARTED


@pytest.mark.parametrize("slow", [{"hang": True}, {"drip": 0.05}])
def test_a_draft_survives_a_server_that_becomes_slow(server: OpenAIServer, make: Make, slow: Json) -> None:
    draft = said(make, GOOD.replace(f"[{CHUNK}]", "").replace(str(CHUNK), ""))
    late = Answer(said(make, GOOD).body, **slow)
    done = ran(make, server, search(make), read(make), draft, late, turn_seconds=0.5)
    assert done.outcome.stop_reason is StopReason.TIME_LIMIT
    assert done.outcome.answer is not None
    assert "315.04" in done.outcome.answer.text


def test_a_reply_cut_in_the_middle_of_thinking_is_labelled(server: OpenAIServer, make: Make) -> None:
    cut = {
        CHAT: completion({"content": "<think>Pienso que", "reasoning_content": "Pienso"}, "length"),
        RESPONSES: response({"type": "reasoning", "encrypted_content": "gAAAA"}, **CUT),
    }
    done = ran(make, server, cut[make], search(make), read(make), said(make, GOOD))
    (revision,) = done.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    assert [reason["code"] for reason in revision["reasons"]] == [RemarkCode.CUT, RemarkCode.NO_TEXT]
    assert done.outcome.stop_reason is StopReason.ANSWERED


def test_a_turn_in_which_nothing_came_has_its_record(server: OpenAIServer) -> None:
    server.play(Answer({}, hang=True))
    with pytest.raises(AgentFailure) as caught:
        run(QUESTION, AS_OF, 1, provider(CHAT, connection(server)), gazette(), Limits(turn_seconds=3), Log())
    assert caught.value.code is FailureCode.DEADLINE_EXCEEDED
    assert [call.request["model"] for call in caught.value.calls] == ["modelo"]
