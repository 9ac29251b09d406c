"""Both OpenAI formats, through the real client, against a scripted server on loopback."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from typing import Any

import pytest

from dofpilot.agent.conversation import (
    Draft,
    Question,
    Reply,
    Revision,
    ToolRequest,
    ToolReturn,
    Turn,
    Usage,
)
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.prompting import ANSWER_SCHEMA
from dofpilot.agent.providers.base import Provider
from dofpilot.agent.providers.openai_chat import OpenAIChat
from dofpilot.agent.providers.openai_responses import OpenAIResponses
from dofpilot.agent.providers.openai_wire import Connection
from dofpilot.agent.tools.arguments import ToolName
from dofpilot.agent.tools.results import ReadPassages
from dofpilot.agent.tools.specs import specs
from tests.agent.fake_corpus import WAGES_2026
from tests.agent.openai_server import (
    Answer,
    OpenAIServer,
    chat_call,
    completion,
    function_call,
    message,
    response,
)

KEY = "sk-secreta-0123456789"
QUESTION = Question("¿Cuál es el salario mínimo?", date(2026, 4, 24), 1)
TOOLS = specs([ToolName.SEARCH_DOCUMENTS, ToolName.READ_CHUNKS])
ARGUMENTS = '{"query": "salario"}'
AT_ONCE = {"Retry-After": "0"}

Make = Callable[[Connection], Provider]
CHAT, RESPONSES = OpenAIChat, OpenAIResponses
CALL = {
    CHAT: completion(
        {"content": None, "tool_calls": [chat_call("search_documents", ARGUMENTS)]}, "tool_calls"
    ),
    RESPONSES: response(function_call("search_documents", ARGUMENTS)),
}
TEXT = {CHAT: completion({"content": "Listo."}), RESPONSES: response(message("Listo."))}


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[OpenAIServer]:
    with pytest.MonkeyPatch.context() as patch, OpenAIServer() as started:
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield started


@pytest.fixture(params=[CHAT, RESPONSES], ids=["chat", "responses"])
def make(request: pytest.FixtureRequest) -> Any:
    return request.param


def turn(*messages: Any, tools: Any = TOOLS, seconds: float = 20.0, missing: tuple[str, ...] = ()) -> Turn:
    return Turn("Investigas.", (QUESTION, *messages), tools, ANSWER_SCHEMA, missing, seconds)


@cache
def provider(make: Make, connection: Connection) -> Provider:
    """Making a client takes a tenth of a second; tests share those that are alike."""
    return make(connection)


def respond(make: Make, server: OpenAIServer, asked: Turn | None = None, **more: Any) -> Reply:
    connection = Connection("modelo", **{"api_key": KEY, "base_url": server.url, "max_retries": 0, **more})
    return provider(make, connection).respond(asked or turn())


def reply_to(make: Make, server: OpenAIServer, answer: Answer) -> ToolRequest | Draft:
    server.play(answer)
    return respond(make, server).content


def failure(make: Make, server: OpenAIServer, asked: Turn | None = None, **more: Any) -> AgentFailure:
    with pytest.raises(AgentFailure) as caught:
        respond(make, server, asked, **more)
    return caught.value


def past_call(arguments: Any = ARGUMENTS) -> tuple[ToolRequest, ToolReturn]:
    read = ReadPassages((WAGES_2026.passage(0),))
    return ToolRequest("call_9", "read_chunks", arguments), ToolReturn("call_9", "read_chunks", read)


def test_it_reads_a_tool_call_with_its_usage(server: OpenAIServer, make: Make) -> None:
    server.play(CALL[make])
    reply = respond(make, server)
    assert reply.content == ToolRequest("call_1", "search_documents", ARGUMENTS)
    assert reply.usage == Usage(120, 15)


def test_it_reads_text_as_a_draft(server: OpenAIServer, make: Make) -> None:
    assert reply_to(make, server, TEXT[make]) == Draft("Listo.")


def test_it_takes_the_first_of_parallel_calls_and_drops_the_rest(server: OpenAIServer, make: Make) -> None:
    both = {
        CHAT: completion(
            {"tool_calls": [chat_call("read_chunks", "{}"), chat_call("search_documents", "{}")]}
        ),
        RESPONSES: response(function_call("read_chunks", "{}"), function_call("search_documents", "{}")),
    }
    assert reply_to(make, server, both[make]) == ToolRequest("call_1", "read_chunks", "{}")


def test_it_does_not_carry_out_a_call_that_the_length_limit_cut(server: OpenAIServer, make: Make) -> None:
    cut = {
        CHAT: completion({"content": None, "tool_calls": [chat_call("read_chunks", '{"chu')]}, "length"),
        RESPONSES: response(
            function_call("read_chunks", '{"chu'),
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        ),
    }
    assert reply_to(make, server, cut[make]) == Draft("", truncated=True)


def test_it_labels_text_that_the_length_limit_cut(server: OpenAIServer, make: Make) -> None:
    cut = {
        CHAT: completion({"content": "En 2026 es"}, "length"),
        RESPONSES: response(
            message("En 2026 es"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
        ),
    }
    assert reply_to(make, server, cut[make]) == Draft("En 2026 es", truncated=True)


def test_it_does_without_usage(server: OpenAIServer, make: Make) -> None:
    silent = {
        CHAT: completion({"content": "Sí."}, usage=None),
        RESPONSES: response(message("Sí."), usage=None),
    }
    server.play(silent[make])
    assert respond(make, server).usage == Usage(None, None)


def test_it_sends_the_whole_conversation_and_what_is_missing(server: OpenAIServer, make: Make) -> None:
    received = server.play(TEXT[make])
    asked = turn(*past_call(), Draft("Borrador."), Revision(("Falta 2025.",)), missing=("el valor anual",))
    respond(make, server, asked)
    sent = received[0].body
    items = sent["messages"] if make is CHAT else sent["input"]
    text = json.dumps(items, ensure_ascii=False)
    for said in (QUESTION.text, "call_9", "315.04", "Borrador.", "Falta 2025.", "el valor anual"):
        assert said in text
    instructions = items[0]["content"] if make is CHAT else sent["instructions"]
    assert instructions == "Investigas."


def test_it_offers_strict_tools_one_at_a_time(server: OpenAIServer, make: Make) -> None:
    received = server.play(CALL[make])
    respond(make, server)
    sent = received[0].body
    first = sent["tools"][0]["function"] if make is CHAT else sent["tools"][0]
    assert first["name"] == "search_documents"
    assert first["strict"] is True
    assert first["parameters"] == TOOLS[0].parameters
    assert sent["parallel_tool_calls"] is False


def test_it_offers_no_tools_on_the_last_turn(server: OpenAIServer, make: Make) -> None:
    received = server.play(TEXT[make])
    respond(make, server, turn(tools=()))
    assert "tools" not in received[0].body
    assert "parallel_tool_calls" not in received[0].body


def test_responses_stores_nothing_and_asks_for_the_answers_schema_when_no_tool_is_left(
    server: OpenAIServer,
) -> None:
    received = server.play(TEXT[RESPONSES])
    respond(RESPONSES, server, turn(tools=()))
    sent = received[0].body
    assert sent["store"] is False
    assert sent["text"]["format"]["schema"] == ANSWER_SCHEMA


def test_it_passes_on_the_reasoning_effort_only_when_there_is_one(server: OpenAIServer, make: Make) -> None:
    received = server.play(TEXT[make])
    respond(make, server)
    respond(make, server, reasoning_effort="low")
    assert not {"reasoning", "reasoning_effort"} & received[0].body.keys()
    sent = received[1].body
    assert (sent["reasoning_effort"] if make is CHAT else sent["reasoning"]["effort"]) == "low"


@pytest.mark.parametrize("arguments", ['{"chunk_ids": [1', "[1]", "hola"])
def test_it_never_sends_back_arguments_that_are_no_json_object(
    server: OpenAIServer, make: Make, arguments: str
) -> None:
    received = server.play(TEXT[make])
    respond(make, server, turn(*past_call(arguments)))
    sent = received[0].body
    call = sent["messages"][2]["tool_calls"][0]["function"] if make is CHAT else sent["input"][1]
    assert json.loads(call["arguments"]) == {}


def test_it_sends_the_key_and_a_placeholder_without_one(server: OpenAIServer, make: Make) -> None:
    received = server.play(TEXT[make])
    respond(make, server)
    respond(make, server, api_key=None)
    assert received[0].headers["authorization"] == f"Bearer {KEY}"
    assert received[1].headers["authorization"] == "Bearer not-needed"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, FailureCode.PROVIDER_REFUSED),
        (401, FailureCode.PROVIDER_REFUSED),
        (403, FailureCode.PROVIDER_REFUSED),
        (404, FailureCode.PROVIDER_REFUSED),
        (429, FailureCode.RATE_LIMITED),
        (500, FailureCode.PROVIDER_UNAVAILABLE),
        (503, FailureCode.PROVIDER_UNAVAILABLE),
    ],
)
def test_it_names_a_failure_by_its_status(
    server: OpenAIServer, make: Make, status: int, code: FailureCode
) -> None:
    server.play(Answer({"error": {"message": "no"}}, status))
    assert failure(make, server).code is code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"message": "caído", "code": 502}}, FailureCode.PROVIDER_UNAVAILABLE),
        ({"error": {"message": "despacio", "code": 429}}, FailureCode.RATE_LIMITED),
        ({"error": {"message": "no", "code": "content_filter"}}, FailureCode.PROVIDER_REFUSED),
        ({"error": "algo pasó"}, FailureCode.PROVIDER_UNAVAILABLE),
        ({"choices": [], "output": []}, FailureCode.PROVIDER_UNAVAILABLE),
        ({"choices": None, "output": None}, FailureCode.PROVIDER_UNAVAILABLE),
        ("<html>proxy</html>", FailureCode.PROVIDER_UNAVAILABLE),
        ("[1, 2]", FailureCode.PROVIDER_UNAVAILABLE),
    ],
)
def test_it_is_not_fooled_by_status_200(
    server: OpenAIServer, make: Make, body: Any, code: FailureCode
) -> None:
    server.play(Answer(body))
    assert failure(make, server).code is code


def test_it_tells_a_refusal_from_an_answer(server: OpenAIServer, make: Make) -> None:
    refusals = {
        CHAT: [
            completion({"content": None, "refusal": "No puedo."}),
            completion({"content": ""}, "content_filter"),
        ],
        RESPONSES: [
            response({"type": "message", "content": [{"type": "refusal", "refusal": "No puedo."}]}),
            response(status="incomplete", incomplete_details={"reason": "content_filter"}),
        ],
    }
    for refusal in refusals[make]:
        server.play(refusal)
    assert failure(make, server).code is FailureCode.PROVIDER_REFUSED


def test_chat_takes_null_content_as_an_empty_draft(server: OpenAIServer) -> None:
    assert reply_to(CHAT, server, completion({"content": None})) == Draft("")


def test_chat_joins_content_sent_in_parts_and_gives_a_nameless_call_a_name(server: OpenAIServer) -> None:
    parts = completion({"content": [{"type": "text", "text": "En "}, {"type": "text", "text": "2026"}]})
    nameless = completion({"tool_calls": [chat_call("read_chunks", {"chunk_ids": [1]}, None)]})
    assert reply_to(CHAT, server, parts) == Draft("En 2026")
    assert reply_to(CHAT, server, nameless) == ToolRequest("call_1", "read_chunks", {"chunk_ids": [1]})


@pytest.mark.parametrize("status", [429, 500, 503])
def test_it_tries_again_after_a_passing_failure(server: OpenAIServer, make: Make, status: int) -> None:
    received = server.play(Answer({}, status, AT_ONCE), Answer({}, status, AT_ONCE), TEXT[make])
    assert respond(make, server, max_retries=2).content == Draft("Listo.")
    assert len(received) == 3


def test_it_tries_no_more_often_than_told(server: OpenAIServer, make: Make) -> None:
    received = server.play(Answer({}, 500, AT_ONCE))
    assert failure(make, server, max_retries=1).code is FailureCode.PROVIDER_UNAVAILABLE
    assert len(received) == 2


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"error": {"message": "no"}}, 400),
        Answer({"error": {"message": "sin saldo", "code": "insufficient_quota"}}, 429),
        Answer({}, 429, {"Retry-After": "3600"}),
    ],
    ids=["refused", "no quota", "too long a wait"],
)
def test_it_does_not_repeat_what_would_fail_again(server: OpenAIServer, make: Make, answer: Answer) -> None:
    received = server.play(answer)
    failure(make, server, max_retries=5)
    assert len(received) == 1


def test_it_gives_up_when_the_turns_time_is_over(server: OpenAIServer, make: Make) -> None:
    received = server.play(Answer({}, hang=True))
    started = time.monotonic()
    assert failure(make, server, turn(seconds=0.2), max_retries=5).code is FailureCode.PROVIDER_UNAVAILABLE
    assert time.monotonic() - started < 3
    assert len(received) == 1


def test_it_says_when_no_server_answers(server: OpenAIServer, make: Make) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        assert failure(make, server, base_url=url).code is FailureCode.PROVIDER_UNAVAILABLE


def test_the_key_appears_neither_in_an_error_nor_in_what_is_shown_of_the_provider(
    server: OpenAIServer, make: Make
) -> None:
    server.play(Answer({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401))
    error = failure(make, server)
    assert KEY not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__
    assert KEY not in repr(Connection("modelo", KEY))


def test_it_says_which_model_speaks(make: Make) -> None:
    identity = make(Connection("modelo", KEY, reasoning_effort="high")).identity
    assert identity.provider == ("openai-chat" if make is CHAT else "openai-responses")
    assert (identity.model, identity.generative, identity.reasoning_effort) == ("modelo", True, "high")
