"""How much of what a model wrote is sent back to it: no more than an answer may have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dofpilot.agent.answer import ANSWER_LENGTH
from dofpilot.agent.conversation import Draft
from tests.agent.openai.talking import (
    CHAT,
    RESPONSES,
    Make,
    called,
    calls_sent,
    reply_to,
    respond,
    said,
    sent_after,
    turn,
)
from tests.agent.openai_server import (
    Json,
    OpenAIServer,
    chat_call,
    completion,
    function_call,
    message,
    response,
)

LONG = "palabra " * 10_000


def written(sent: list[Json]) -> int:
    return len(json.dumps(sent, ensure_ascii=False))


def test_no_more_of_a_draft_is_sent_back_than_an_answer_may_have(server: OpenAIServer, make: Make) -> None:
    draft = reply_to(make, server, said(make, LONG))
    assert draft == Draft(LONG)
    sent = sent_after(make, server, draft)
    (assistant,) = (item for item in sent if item.get("role") == "assistant")
    assert assistant["content"] == LONG[:ANSWER_LENGTH]


def test_responses_sends_no_long_draft_back_with_its_reasoning(server: OpenAIServer) -> None:
    sealed = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
    draft = reply_to(RESPONSES, server, response(sealed, message(LONG)))
    sent = sent_after(RESPONSES, server, draft)
    assert sent[1] == {"role": "assistant", "content": LONG[:ANSWER_LENGTH]}
    assert written(sent) < 2 * ANSWER_LENGTH


def test_responses_keeps_the_reasoning_of_a_call_when_too_much_is_said_before_it(
    server: OpenAIServer,
) -> None:
    sealed = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
    request = reply_to(RESPONSES, server, response(sealed, message(LONG), function_call("read_chunks", "{}")))
    sent = sent_after(RESPONSES, server, request)
    assert [item.get("type") for item in sent[1:4]] == ["reasoning", "function_call", "function_call_output"]


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (LONG, LONG[:ANSWER_LENGTH]),
        ([{"type": "text", "text": LONG}], LONG[:ANSWER_LENGTH]),
        (f"<think>{LONG}</think>Leo.", "Leo."),
        (f"<think>{LONG}", None),
    ],
    ids=["text", "parts", "thoughts", "thoughts alone"],
)
def test_chat_sends_no_more_back_than_an_answer_may_have_of_what_is_said_before_a_call(
    server: OpenAIServer, content: Any, kept: str | None
) -> None:
    answer = completion({"content": content, "tool_calls": [chat_call("read_chunks", "{}")]}, "tool_calls")
    sent = sent_after(CHAT, server, reply_to(CHAT, server, answer))
    assert sent[2]["content"] == kept
    assert sent[2]["tool_calls"]


def test_arguments_longer_than_an_answer_are_not_sent_back(server: OpenAIServer, make: Make) -> None:
    arguments = {"query": LONG}
    for sent in (arguments, json.dumps(arguments)):
        request = reply_to(make, server, called(make, "search_documents", sent))
        received = server.play(said(make, "Listo."))
        respond(make, server, turn(request))
        assert [call["arguments"] for call in calls_sent(make, received[0])] == ["{}"]
