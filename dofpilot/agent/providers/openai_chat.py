"""The chat completions format, for any server that speaks it (Kimi, llama-server, Ollama, vLLM, LiteLLM)."""

from __future__ import annotations

from typing import Any

import openai

from dofpilot.agent import prompting
from dofpilot.agent.conversation import (
    Draft,
    Message,
    Question,
    Reply,
    Revision,
    ToolRequest,
    ToolReturn,
    ToolSpec,
    Turn,
)
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.openai_wire import (
    Connection,
    JsonObject,
    Wire,
    WireError,
    arguments_text,
    objects,
    raise_error_body,
    refused,
    usage,
)
from dofpilot.agent.render.model import for_model


class OpenAIChat:
    """No response format is asked for: not every server knows one, and the prompt asks for the same JSON."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._wire = Wire(connection)

    @property
    def identity(self) -> ProviderIdentity:
        connection = self._connection
        return ProviderIdentity("openai-chat", connection.model, True, connection.reasoning_effort)

    def respond(self, turn: Turn) -> Reply:
        request = self._request(turn)

        def send(client: openai.OpenAI, seconds: float) -> Any:
            return client.chat.completions.with_raw_response.create(**request, timeout=seconds)

        return self._wire.exchange(send, lambda body: _reply(body, turn), turn.seconds)

    def _request(self, turn: Turn) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self._connection.model, "messages": _messages(turn)}
        if turn.tools:
            request |= {"tools": [_tool(spec) for spec in turn.tools], "parallel_tool_calls": False}
        if self._connection.reasoning_effort:
            request["reasoning_effort"] = self._connection.reasoning_effort
        return request


def _messages(turn: Turn) -> list[JsonObject]:
    rendered = [{"role": "system", "content": turn.instructions}]
    rendered += [_message(message) for message in turn.messages]
    if reminder := prompting.reminder(turn):
        rendered.append({"role": "user", "content": reminder})
    return rendered


def _message(message: Message) -> JsonObject:
    match message:
        case Question():
            return {"role": "user", "content": message.text}
        case ToolRequest():
            function = {"name": message.name, "arguments": arguments_text(message)}
            call = {"id": message.call_id, "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        case ToolReturn():
            return {"role": "tool", "tool_call_id": message.call_id, "content": for_model(message.result)}
        case Draft():
            return {"role": "assistant", "content": message.text}
        case Revision():
            return {"role": "user", "content": prompting.revision(message)}


def _tool(spec: ToolSpec) -> JsonObject:
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "strict": True,
    }
    return {"type": "function", "function": function}


def _reply(body: JsonObject, turn: Turn) -> Reply:
    raise_error_body(body)
    choices = objects(body.get("choices"))
    if not choices:
        raise WireError("the reply has no choices")
    content = _content(choices[0], f"call_{len(turn.messages)}")
    return Reply(content, usage(body, "prompt_tokens", "completion_tokens"))


def _content(choice: JsonObject, spare_id: str) -> ToolRequest | Draft:
    """The first tool call, or the text. A call that the length limit cut is not carried out."""
    message = choice.get("message") or {}
    if choice.get("finish_reason") == "content_filter" or message.get("refusal"):
        raise refused("the server withheld its reply")
    truncated = choice.get("finish_reason") == "length"
    functions = [
        (call.get("id"), call["function"])
        for call in objects(message.get("tool_calls"))
        if objects([call.get("function")])
    ]
    if functions and not truncated:
        call_id, function = functions[0]
        return ToolRequest(
            str(call_id or spare_id), str(function.get("name")), function.get("arguments") or {}
        )
    return Draft(_text(message.get("content")), truncated)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or "") for part in objects(content))
