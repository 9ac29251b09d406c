"""What is sent in both formats, through the real client, and what is recorded of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dofpilot.agent.conversation import Draft, Revision, ToolRequest, WireCall
from dofpilot.agent.errors import ConfigurationError
from dofpilot.agent.prompting import ANSWER_SCHEMA
from dofpilot.agent.providers.openai_wire import Connection
from tests.agent.openai.talking import (
    ARGUMENTS,
    AT_ONCE,
    CHAT,
    KEY,
    QUESTION,
    RESPONSES,
    TOOLS,
    Make,
    called,
    calls_sent,
    failure,
    items,
    past_call,
    respond,
    returns_sent,
    said,
    turn,
)
from tests.agent.openai_server import Answer, OpenAIServer


def test_it_reads_a_tool_call(server: OpenAIServer, make: Make) -> None:
    server.play(called(make, "search_documents", ARGUMENTS))
    assert respond(make, server).content == ToolRequest("call_1", "search_documents", ARGUMENTS)


def test_it_reads_text_as_a_draft(server: OpenAIServer, make: Make) -> None:
    server.play(said(make, "Listo."))
    assert respond(make, server).content == Draft("Listo.")


def test_it_sends_the_whole_conversation_and_what_is_missing(server: OpenAIServer, make: Make) -> None:
    received = server.play(said(make, "Listo."))
    asked = turn(*past_call(), Draft("Borrador."), Revision(("Falta 2025.",)), missing=("el valor anual",))
    respond(make, server, asked)
    text = json.dumps(items(make, received[0]), ensure_ascii=False)
    for written in (QUESTION.text, "call_9", "315.04", "Borrador.", "Falta 2025.", "el valor anual"):
        assert written in text
    sent = received[0].body
    assert (sent["messages"][0]["content"] if make is CHAT else sent["instructions"]) == "Investigas."


def test_a_call_is_followed_by_its_return_under_the_same_id(server: OpenAIServer, make: Make) -> None:
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(*past_call()))
    assert calls_sent(make, received[0]) == [{"id": "call_9", "name": "read_chunks", "arguments": ARGUMENTS}]
    (returned,) = returns_sent(make, received[0])
    assert returned["id"] == "call_9"
    assert "315.04" in returned["text"]
    kinds = [item.get("type") or item["role"] for item in items(make, received[0])]
    after = {CHAT: ["assistant", "tool"], RESPONSES: ["function_call", "function_call_output"]}[make]
    assert kinds[kinds.index("user") + 1 :][:2] == after


def test_it_sends_no_message_that_says_nothing(server: OpenAIServer, make: Make) -> None:
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(Draft(""), Revision(("La respuesta llegó vacía.",))))
    assert all(item["content"] for item in items(make, received[0]))
    assert not [item for item in items(make, received[0]) if item["role"] == "assistant"]


def test_chat_never_sends_two_messages_of_the_user_in_a_row(server: OpenAIServer) -> None:
    received = server.play(said(CHAT, "Listo."))
    respond(CHAT, server, turn(Draft("Algo."), Revision(("Falta 2025.",)), missing=("el valor anual",)))
    roles = [item["role"] for item in items(CHAT, received[0])]
    assert roles == ["system", "user", "assistant", "user"]
    for written in ("Falta 2025.", "el valor anual"):
        assert written in items(CHAT, received[0])[-1]["content"]


def test_it_offers_strict_tools_one_at_a_time(server: OpenAIServer, make: Make) -> None:
    received = server.play(called(make, "search_documents", ARGUMENTS))
    respond(make, server)
    sent = received[0].body
    first = sent["tools"][0]["function"] if make is CHAT else sent["tools"][0]
    assert first["name"] == "search_documents"
    assert first["strict"] is True
    assert first["parameters"] == TOOLS[0].parameters
    assert sent["parallel_tool_calls"] is False


def test_it_offers_no_tools_on_the_last_turn(server: OpenAIServer, make: Make) -> None:
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(tools=()))
    assert "tools" not in received[0].body
    assert "parallel_tool_calls" not in received[0].body


def test_responses_stores_nothing_and_asks_for_the_answers_schema_when_no_tool_is_left(
    server: OpenAIServer,
) -> None:
    received = server.play(said(RESPONSES, "Listo."))
    respond(RESPONSES, server, turn(tools=()))
    sent = received[0].body
    assert sent["store"] is False
    assert sent["text"]["format"]["schema"] == ANSWER_SCHEMA


def test_it_passes_on_the_reasoning_effort_only_when_there_is_one(server: OpenAIServer, make: Make) -> None:
    received = server.play(said(make, "Listo."))
    respond(make, server)
    respond(make, server, reasoning_effort="low")
    assert not {"reasoning", "reasoning_effort"} & received[0].body.keys()
    sent = received[1].body
    assert (sent["reasoning_effort"] if make is CHAT else sent["reasoning"]["effort"]) == "low"


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"chunk_ids": [1', {}),
        ("[1]", {}),
        ("hola", {}),
        ("[" * 100_000, {}),
        ({"chunk_ids": [1]}, {"chunk_ids": [1]}),
        (json.dumps('{"chunk_ids": [1]}'), {"chunk_ids": [1]}),
        ('{"query": "a\nb"}', {"query": "a\nb"}),
    ],
    ids=["cut", "list", "text", "deep", "object", "encoded twice", "bare line break"],
)
def test_past_arguments_are_always_sent_as_a_json_object(
    server: OpenAIServer, make: Make, arguments: Any, sent: Any
) -> None:
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(*past_call(arguments)))
    assert json.loads(calls_sent(make, received[0])[0]["arguments"]) == sent


def test_it_sends_the_key_and_a_placeholder_without_one(server: OpenAIServer, make: Make) -> None:
    received = server.play(said(make, "Listo."))
    respond(make, server)
    respond(make, server, api_key=None)
    assert received[0].headers["authorization"] == f"Bearer {KEY}"
    assert received[1].headers["authorization"] == "Bearer not-needed"


def test_it_says_which_model_speaks(make: Make) -> None:
    identity = make(Connection("modelo", KEY, reasoning_effort="high")).identity
    assert identity.provider == ("openai-chat" if make is CHAT else "openai-responses")
    assert (identity.model, identity.generative, identity.reasoning_effort) == ("modelo", True, "high")


def test_it_records_the_request_as_sent_and_the_whole_reply(server: OpenAIServer, make: Make) -> None:
    answer = said(make, "Listo.")
    received = server.play(answer)
    (call,) = respond(make, server).calls
    assert (call.request, call.status, call.reply, call.error) == (received[0].body, 200, answer.body, "")
    assert 0 < call.seconds < 10


def test_it_records_failed_attempts_too(server: OpenAIServer, make: Make, quick: None) -> None:
    body = {"error": {"message": "caído", "type": "server_error"}}
    received = server.play(Answer(body, 503), Answer("<b>proxy</b>"), said(make, "Listo."))
    calls = respond(make, server, max_retries=2).calls
    assert [call.request for call in calls] == [sent.body for sent in received]
    assert [call.status for call in calls] == [503, 200, 200]
    assert [call.reply for call in calls[:2]] == [body, "<b>proxy</b>"]
    assert "caído" in calls[0].error
    assert "no JSON" in calls[1].error
    assert calls[2].error == ""


def test_a_failure_has_its_record(server: OpenAIServer, make: Make) -> None:
    received = server.play(Answer({"error": {"message": "no"}}, 500, AT_ONCE))
    error = failure(make, server, max_retries=1)
    assert len(error.calls) == len(received) == 2
    assert {call.status for call in error.calls} == {500}
    assert str(error) == error.calls[-1].error


def test_a_record_tells_when_no_server_answered(server: OpenAIServer, make: Make) -> None:
    (call,) = failure(make, server, base_url="http://127.0.0.1:9/v1").calls
    assert call == WireCall(call.request, call.seconds, None, None, call.error)
    assert call.request["model"] == "modelo"
    assert "refused" in call.error


ECHOES = [
    KEY,
    KEY.upper(),
    f"Bearer {KEY}",
    KEY.replace("-", "%2D"),
    KEY.replace("-", "&#45;"),
    KEY.replace("s", "\\u0073"),
    "sk-secre*********6789",
]


@pytest.mark.parametrize("echo", ECHOES)
@pytest.mark.parametrize("status", [200, 401, 500])
def test_the_key_is_in_no_record_and_no_error_though_the_server_repeats_it(
    server: OpenAIServer, make: Make, echo: str, status: int
) -> None:
    body = {"error": {"message": f"Incorrect API key provided: {echo}.", echo: [echo]}}
    for answer in (Answer(body, status), Answer(f"<p>{echo}</p>", status)):
        server.play(answer)
        error = failure(make, server)
        (call,) = error.calls
        told = f"{error} {call.request} {call.reply} {call.error} {error.__cause__}".lower()
        assert "***" in told
        for part in (echo.lower(), "secre", "6789", "u0073"):
            assert part not in told
        assert error.__suppress_context__


def test_the_key_is_in_no_record_of_a_reply(server: OpenAIServer, make: Make) -> None:
    server.play(said(make, f"La clave es {KEY}."))
    assert KEY not in str(respond(make, server).calls)


def test_the_key_is_not_shown_with_the_connection() -> None:
    assert KEY not in repr(Connection("modelo", KEY))


@pytest.mark.parametrize("key", ["sk-señal-0123", "sk-0123\n"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(make: Make, key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        make(Connection("modelo", key))
    assert caught.value.setting == "DOFPILOT_API_KEY"
    assert caught.value.reason == "tiene caracteres que ninguna cabecera HTTP admite"
    assert "0123" not in str(caught.value)
