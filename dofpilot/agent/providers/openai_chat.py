"""The chat completions format, for any server that speaks it (Kimi, llama-server, Ollama, vLLM, LiteLLM)."""

from __future__ import annotations

from typing import Any

import openai

from dofpilot.agent import prompting
from dofpilot.agent.conversation import (
    Draft,
    Message,
    Question,
    Revision,
    ToolRequest,
    ToolReturn,
    ToolSpec,
    Turn,
)
from dofpilot.agent.providers.openai_base import OpenAIProvider
from dofpilot.agent.providers.openai_wire import JsonObject, UnusableReply, arguments_text, objects, refused
from dofpilot.agent.render.model import for_model


class OpenAIChat(OpenAIProvider):
    """No response format is asked for: not every server knows one, and the prompt asks for the same JSON."""

    name = "openai-chat"
    usage_keys = ("prompt_tokens", "completion_tokens")

    def _endpoint(self, client: openai.OpenAI) -> Any:
        return client.chat.completions

    def _request(self, turn: Turn) -> JsonObject:
        request: JsonObject = {"model": self._connection.model, "messages": _messages(turn)}
        if turn.tools:
            request |= {"tools": [_tool(spec) for spec in turn.tools], "parallel_tool_calls": False}
        if self._connection.reasoning_effort:
            request["reasoning_effort"] = self._connection.reasoning_effort
        return request

    def _content(self, body: JsonObject, spare_id: str) -> ToolRequest | Draft:
        choices = objects(body.get("choices"))
        if not choices:
            raise UnusableReply("the reply has no choices")
        return _content(choices[0], spare_id)


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


def _content(choice: JsonObject, spare_id: str) -> ToolRequest | Draft:
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
