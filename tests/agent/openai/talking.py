"""Talking to the scripted server in either format, and reading what it was sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import pytest

from dofpilot.agent.conversation import Draft, Question, Reply, Revision, ToolRequest, ToolReturn, Turn
from dofpilot.agent.errors import AgentFailure
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.prompting import ANSWER_SCHEMA
from dofpilot.agent.providers.base import Provider
from dofpilot.agent.providers.openai_chat import OpenAIChat
from dofpilot.agent.providers.openai_responses import OpenAIResponses
from dofpilot.agent.providers.openai_wire import Connection
from dofpilot.agent.runner import run
from dofpilot.agent.tools.arguments import ToolName
from dofpilot.agent.tools.results import ReadPassages
from dofpilot.agent.tools.specs import specs
from tests.agent.asking import AS_OF, CHUNK, Log
from tests.agent.asking import QUESTION as ASKED
from tests.agent.fake_corpus import WAGES_2026, FakeCorpus, gazette
from tests.agent.openai_server import (
    Answer,
    Json,
    OpenAIServer,
    Received,
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
GOOD = json.dumps(
    {"answer": f"Es de 315.04 pesos [{CHUNK}].", "citations": [CHUNK], "premise_status": "supported"}
)
AT_ONCE = {"Retry-After": "0"}
CUT = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}

Make = Callable[[Connection], Provider]
CHAT, RESPONSES = OpenAIChat, OpenAIResponses


def turn(*messages: Any, tools: Any = TOOLS, seconds: float = 20.0, missing: tuple[str, ...] = ()) -> Turn:
    return Turn("Investigas.", (QUESTION, *messages), tools, ANSWER_SCHEMA, missing, seconds)


@cache
def provider(make: Make, connection: Connection) -> Provider:
    """Making a client takes a tenth of a second; tests share those that are alike."""
    return make(connection)


def connection(server: OpenAIServer, **more: Any) -> Connection:
    return Connection("modelo", **{"api_key": KEY, "base_url": server.url, "max_retries": 0, **more})


def respond(make: Make, server: OpenAIServer, asked: Turn | None = None, **more: Any) -> Reply:
    return provider(make, connection(server, **more)).respond(asked or turn())


def reply_to(make: Make, server: OpenAIServer, answer: Answer, *messages: Any) -> ToolRequest | Draft:
    server.play(answer)
    return respond(make, server, turn(*messages)).content


def failure(make: Make, server: OpenAIServer, asked: Turn | None = None, **more: Any) -> AgentFailure:
    with pytest.raises(AgentFailure) as caught:
        respond(make, server, asked, **more)
    return caught.value


def past_call(arguments: Any = ARGUMENTS, call_id: str = "call_9") -> tuple[ToolRequest, ToolReturn]:
    read = ReadPassages((WAGES_2026.passage(0),))
    return ToolRequest(call_id, "read_chunks", arguments), ToolReturn(call_id, "read_chunks", read)


def said(make: Make, text: str, *, cut: bool = False) -> Answer:
    if make is CHAT:
        return completion({"content": text}, "length" if cut else "stop")
    return response(message(text), **(CUT if cut else {}))


def called(
    make: Make,
    name: Any,
    arguments: Any,
    call_id: str | None = "call_1",
    *,
    cut: bool = False,
    text: str = "",
) -> Answer:
    """One tool call, with a ``text`` before it where there is one."""
    if make is CHAT:
        calls = {"content": text or None, "tool_calls": [chat_call(name, arguments, call_id)]}
        return completion(calls, "length" if cut else "tool_calls")
    before = [message(text)] if text else []
    return response(*before, function_call(name, arguments, call_id), **(CUT if cut else {}))


def calling(make: Make, *calls: tuple[str, str, str]) -> Answer:
    """Several calls at once: name, arguments and id of each."""
    if make is CHAT:
        return completion({"tool_calls": [chat_call(*call) for call in calls]}, "tool_calls")
    return response(*(function_call(*call) for call in calls))


def search(make: Make, call_id: str = "call_1") -> Answer:
    return called(make, "search_documents", ARGUMENTS, call_id)


def read(make: Make, call_id: str = "call_2", chunks: Any = (CHUNK,)) -> Answer:
    return called(make, "read_chunks", json.dumps({"chunk_ids": chunks}), call_id)


def body_of(answer: Answer) -> Json:
    assert isinstance(answer.body, dict)
    return answer.body


def items(make: Make, sent: Received) -> list[Json]:
    """The conversation as it was sent."""
    conversation: list[Json] = sent.body["messages" if make is CHAT else "input"]
    return conversation


def calls_sent(make: Make, sent: Received) -> list[Json]:
    """Id, name and arguments of the calls in the history."""
    if make is CHAT:
        made = [call for item in items(make, sent) for call in item.get("tool_calls", [])]
        return [{"id": call["id"], **call["function"]} for call in made]
    made = [item for item in items(make, sent) if item.get("type") == "function_call"]
    return [{"id": call["call_id"], "name": call["name"], "arguments": call["arguments"]} for call in made]


def returns_sent(make: Make, sent: Received) -> list[Json]:
    """Call's id and text of the tools' returns in the history."""
    if make is CHAT:
        returned = [item for item in items(make, sent) if item["role"] == "tool"]
        return [{"id": item["tool_call_id"], "text": item["content"]} for item in returned]
    returned = [item for item in items(make, sent) if item.get("type") == "function_call_output"]
    return [{"id": item["call_id"], "text": item["output"]} for item in returned]


def sent_after(make: Make, server: OpenAIServer, content: ToolRequest | Draft) -> list[Json]:
    """The conversation that goes on from there, which must reach the server."""
    after = past_call(call_id=content.call_id)[1] if isinstance(content, ToolRequest) else Revision(("No.",))
    received = server.play(said(make, "Listo."))
    assert respond(make, server, turn(content, after)).content == Draft("Listo.")
    return items(make, received[0])


@dataclass
class Ran:
    """A whole run: how it ended, what it reported, what the server received and the corpus was asked."""

    outcome: Outcome
    log: Log
    received: Sequence[Received]
    corpus: FakeCorpus


def ran(make: Make, server: OpenAIServer, *answers: Answer, **limits: Any) -> Ran:
    received, log, corpus = server.play(*answers), Log(), gazette()
    chosen = provider(make, connection(server))
    outcome = run(ASKED, AS_OF, 1, chosen, corpus, Limits(**limits), log)
    return Ran(outcome, log, received, corpus)
