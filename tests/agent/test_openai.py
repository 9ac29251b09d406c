"""Both OpenAI formats, through the real client, against a scripted server on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from dofpilot.agent.conversation import (
    Draft,
    Question,
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
    CHAT: completion({"content": None, "tool_calls": [chat_call("search_documents", ARGUMENTS)]}, "tool_calls"),
    RESPONSES: response(function_call("search_documents", ARGUMENTS)),
}
TEXT = {CHAT: completion({"content": "Listo."}), RESPONSES: response(message("Listo."))}


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(params=[CHAT, RESPONSES], ids=["chat", "responses"])
def make(request: pytest.FixtureRequest) -> Any:
    return request.param


def turn(*messages: Any, tools: Any = TOOLS, seconds: float = 20.0, missing: tuple[str, ...] = ()) -> Turn:
    return Turn("Investigas.", (QUESTION, *messages), tools, ANSWER_SCHEMA, missing, seconds)


def respond(make: Make, server: OpenAIServer, asked: Turn | None = None, **more: Any) -> Any:
    connection = Connection("modelo", KEY, server.url, **{"max_retries": 0, **more})
    with server:
        return make(connection).respond(asked or turn())


def failure(make: Make, server: OpenAIServer, asked: Turn | None = None, **more: Any) -> AgentFailure:
    with pytest.raises(AgentFailure) as caught:
        respond(make, server, asked, **more)
    return caught.value


def past_call(arguments: Any = ARGUMENTS) -> tuple[ToolRequest, ToolReturn]:
    read = ReadPassages((WAGES_2026.passage(0),))
    return ToolRequest("call_9", "read_chunks", arguments), ToolReturn("call_9", "read_chunks", read)


def test_it_reads_a_tool_call_with_its_usage(make: Make) -> None:
    reply = respond(make, OpenAIServer(CALL[make]))
    assert reply.content == ToolRequest("call_1", "search_documents", ARGUMENTS)
    assert reply.usage == Usage(120, 15)


def test_it_reads_text_as_a_draft(make: Make) -> None:
    assert respond(make, OpenAIServer(TEXT[make])).content == Draft("Listo.")


def test_it_takes_the_first_of_parallel_calls_and_drops_the_rest(make: Make) -> None:
    both = {
        CHAT: completion({"tool_calls": [chat_call("read_chunks", "{}"), chat_call("search_documents", "{}")]}),
        RESPONSES: response(function_call("read_chunks", "{}"), function_call("search_documents", "{}")),
    }
    assert respond(make, OpenAIServer(both[make])).content == ToolRequest("call_1", "read_chunks", "{}")


def test_it_does_not_carry_out_a_call_that_the_length_limit_cut(make: Make) -> None:
    cut = {
        CHAT: completion({"content": None, "tool_calls": [chat_call("read_chunks", '{"chu')]}, "length"),
        RESPONSES: response(
            function_call("read_chunks", '{"chu'),
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        ),
    }
    assert respond(make, OpenAIServer(cut[make])).content == Draft("", truncated=True)


def test_it_labels_text_that_the_length_limit_cut(make: Make) -> None:
    cut = {
        CHAT: completion({"content": "En 2026 es"}, "length"),
        RESPONSES: response(
            message("En 2026 es"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
        ),
    }
    assert respond(make, OpenAIServer(cut[make])).content == Draft("En 2026 es", truncated=True)


def test_it_does_without_usage(make: Make) -> None:
    silent = {CHAT: completion({"content": "Sí."}, usage=None), RESPONSES: response(message("Sí."), usage=None)}
    for answer in silent.values():
        answer.body["usage"] = None
    assert respond(make, OpenAIServer(silent[make])).usage == Usage(None, None)


def test_it_sends_the_whole_conversation_and_what_is_missing(make: Make) -> None:
    server = OpenAIServer(TEXT[make])
    asked = turn(*past_call(), Draft("Borrador."), Revision(("Falta 2025.",)), missing=("el valor anual",))
    respond(make, server, asked)
    sent = server.received[0].body
    items = sent["messages"] if make is CHAT else sent["input"]
    text = json.dumps(items, ensure_ascii=False)
    for said in (QUESTION.text, "call_9", "315.04", "Borrador.", "Falta 2025.", "el valor anual"):
        assert said in text
    instructions = items[0]["content"] if make is CHAT else sent["instructions"]
    assert instructions == "Investigas."


def test_it_offers_strict_tools_one_at_a_time(make: Make) -> None:
    server = OpenAIServer(CALL[make])
    respond(make, server)
    sent = server.received[0].body
    first = sent["tools"][0]["function"] if make is CHAT else sent["tools"][0]
    assert first["name"] == "search_documents"
    assert first["strict"] is True
    assert first["parameters"] == TOOLS[0].parameters
    assert sent["parallel_tool_calls"] is False


def test_it_offers_no_tools_on_the_last_turn(make: Make) -> None:
    server = OpenAIServer(TEXT[make])
    respond(make, server, turn(tools=()))
    assert "tools" not in server.received[0].body
    assert "parallel_tool_calls" not in server.received[0].body


def test_responses_stores_nothing_and_asks_for_the_answers_schema_when_no_tool_is_left() -> None:
    server = OpenAIServer(TEXT[RESPONSES])
    respond(RESPONSES, server, turn(tools=()))
    sent = server.received[0].body
    assert sent["store"] is False
    assert sent["text"]["format"]["schema"] == ANSWER_SCHEMA


def test_it_passes_on_the_reasoning_effort_only_when_there_is_one(make: Make) -> None:
    plain, eager = OpenAIServer(TEXT[make]), OpenAIServer(TEXT[make])
    respond(make, plain)
    respond(make, eager, reasoning_effort="low")
    assert not {"reasoning", "reasoning_effort"} & plain.received[0].body.keys()
    sent = eager.received[0].body
    assert (sent["reasoning_effort"] if make is CHAT else sent["reasoning"]["effort"]) == "low"


@pytest.mark.parametrize("arguments", ['{"chunk_ids": [1', "[1]", "hola"])
def test_it_never_sends_back_arguments_that_are_no_json_object(make: Make, arguments: str) -> None:
    server = OpenAIServer(TEXT[make])
    respond(make, server, turn(*past_call(arguments)))
    sent = server.received[0].body
    call = sent["messages"][2]["tool_calls"][0]["function"] if make is CHAT else sent["input"][1]
    assert json.loads(call["arguments"]) == {}


def test_it_sends_the_key_and_a_placeholder_without_one(make: Make) -> None:
    with_key, without = OpenAIServer(TEXT[make]), OpenAIServer(TEXT[make])
    respond(make, with_key)
    with without:
        make(Connection("modelo", None, without.url)).respond(turn())
    assert with_key.received[0].headers["authorization"] == f"Bearer {KEY}"
    assert without.received[0].headers["authorization"] == "Bearer not-needed"


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
def test_it_names_a_failure_by_its_status(make: Make, status: int, code: FailureCode) -> None:
    assert failure(make, OpenAIServer(Answer({"error": {"message": "no"}}, status))).code is code


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
def test_it_is_not_fooled_by_status_200(make: Make, body: Any, code: FailureCode) -> None:
    assert failure(make, OpenAIServer(Answer(body))).code is code


def test_it_tells_a_refusal_from_an_answer(make: Make) -> None:
    refusals = {
        CHAT: [completion({"content": None, "refusal": "No puedo."}), completion({"content": ""}, "content_filter")],
        RESPONSES: [
            response({"type": "message", "content": [{"type": "refusal", "refusal": "No puedo."}]}),
            response(status="incomplete", incomplete_details={"reason": "content_filter"}),
        ],
    }
    for refusal in refusals[make]:
        assert failure(make, OpenAIServer(refusal)).code is FailureCode.PROVIDER_REFUSED


def test_chat_takes_null_content_as_an_empty_draft() -> None:
    assert respond(CHAT, OpenAIServer(completion({"content": None}))).content == Draft("")


def test_chat_joins_content_sent_in_parts_and_gives_a_nameless_call_a_name() -> None:
    parts = completion({"content": [{"type": "text", "text": "En "}, {"type": "text", "text": "2026"}]})
    nameless = completion({"tool_calls": [chat_call("read_chunks", {"chunk_ids": [1]}, None)]})
    assert respond(CHAT, OpenAIServer(parts)).content == Draft("En 2026")
    called = respond(CHAT, OpenAIServer(nameless)).content
    assert called == ToolRequest("call_1", "read_chunks", {"chunk_ids": [1]})


@pytest.mark.parametrize("status", [429, 500, 503])
def test_it_tries_again_after_a_passing_failure(make: Make, status: int) -> None:
    server = OpenAIServer(Answer({}, status, AT_ONCE), Answer({}, status, AT_ONCE), TEXT[make])
    assert respond(make, server, max_retries=2).content == Draft("Listo.")
    assert len(server.received) == 3


def test_it_tries_no_more_often_than_told(make: Make) -> None:
    server = OpenAIServer(Answer({}, 500, AT_ONCE))
    assert failure(make, server, max_retries=1).code is FailureCode.PROVIDER_UNAVAILABLE
    assert len(server.received) == 2


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"error": {"message": "no"}}, 400),
        Answer({"error": {"message": "sin saldo", "code": "insufficient_quota"}}, 429),
        Answer({}, 429, {"Retry-After": "3600"}),
    ],
    ids=["refused", "no quota", "too long a wait"],
)
def test_it_does_not_repeat_what_would_fail_again(make: Make, answer: Answer) -> None:
    server = OpenAIServer(answer)
    failure(make, server, max_retries=5)
    assert len(server.received) == 1


def test_it_gives_up_when_the_turns_time_is_over(make: Make) -> None:
    server = OpenAIServer(Answer({}, hang=True))
    assert failure(make, server, turn(seconds=0.2), max_retries=5).code is FailureCode.PROVIDER_UNAVAILABLE
    assert len(server.received) == 1


def test_it_says_when_no_server_answers(make: Make) -> None:
    with OpenAIServer(Answer({})) as closed:
        url = closed.url
    with pytest.raises(AgentFailure) as caught:
        make(Connection("modelo", KEY, url, max_retries=0)).respond(turn())
    assert caught.value.code is FailureCode.PROVIDER_UNAVAILABLE


def test_the_key_appears_neither_in_an_error_nor_in_what_is_shown_of_the_provider(make: Make) -> None:
    server = OpenAIServer(Answer({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401))
    error = failure(make, server)
    assert KEY not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__
    assert KEY not in repr(Connection("modelo", KEY))


def test_it_says_which_model_speaks(make: Make) -> None:
    identity = make(Connection("modelo", KEY, reasoning_effort="high")).identity
    assert identity.provider == ("openai-chat" if make is CHAT else "openai-responses")
    assert (identity.model, identity.generative, identity.reasoning_effort) == ("modelo", True, "high")
