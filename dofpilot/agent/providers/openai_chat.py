"""The chat completions format, for any server that speaks it (Kimi, llama-server, Ollama, vLLM, LiteLLM)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
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
from dofpilot.agent.providers import openai_usage
from dofpilot.agent.providers.openai_base import CallIds, OpenAIProvider
from dofpilot.agent.providers.openai_faults import refused, unusable
from dofpilot.agent.providers.openai_reading import (
    JsonObject,
    an_object,
    arguments,
    arguments_text,
    brief,
    is_brief,
    objects,
    text_of,
    tool_name,
)
from dofpilot.agent.render.model import Told, for_model

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
# What servers of reasoning models want back with a call, or refuse it: Kimi and DeepSeek the first, even
# when it is empty; vLLM and OpenRouter the others; Google keeps its own beside the call.
_REASONING = ("reasoning_content", "reasoning", "reasoning_details")
_BESIDE_CALL = ("extra_content",)


class OpenAIChat(OpenAIProvider):
    """No response format is asked for: not every server knows one, and the prompt asks for the same JSON."""

    name = "openai-chat"
    usage_keys = openai_usage.CHAT
    dispensable = {"parallel_tool_calls": "parallel_tool_calls"}

    def _endpoint(self, client: openai.OpenAI) -> Any:
        return client.chat.completions

    def request(self, turn: Turn) -> JsonObject:
        request: JsonObject = {"model": self._connection.model, "messages": _messages(turn)}
        if turn.tools:
            request |= {"tools": [_tool(spec) for spec in turn.tools], "parallel_tool_calls": False}
        if self._connection.reasoning_effort:
            request["reasoning_effort"] = self._connection.reasoning_effort
        return request

    def _content(self, body: JsonObject, names: CallIds) -> ToolRequest | Draft:
        choices = objects(body.get("choices"))
        if not choices:
            raise unusable("the reply has no choices", body)
        ended = str(choices[0].get("finish_reason")).lower()
        message = an_object(choices[0].get("message"))
        if ended == "content_filter" or message.get("refusal"):
            raise refused("the server withheld its reply")
        calls = [call for call in objects(message.get("tool_calls")) if an_object(call.get("function"))]
        if calls and ended not in _CUT:
            return _requested(calls[0], message, names)
        return Draft(text_of(message.get("content")), truncated=ended in _CUT)


def _requested(call: JsonObject, message: JsonObject, names: CallIds) -> ToolRequest:
    function = call["function"]
    request = ToolRequest(
        names.unique(call.get("id")), tool_name(function.get("name")), arguments(function.get("arguments"))
    )
    with_message = _said(message.get("content")) | _given(message, _REASONING)
    beside_call = _given(call, _BESIDE_CALL)
    if not with_message and not beside_call:
        return request
    return replace(request, carried=(_called(request, with_message, beside_call),))


def _said(content: Any) -> JsonObject:
    """What was said before a call; without the thoughts where it is too long."""
    shown = content if is_brief(content) else brief(text_of(content))
    return {"content": shown} if shown else {}


def _given(holder: JsonObject, names: Iterable[str]) -> JsonObject:
    return {name: holder[name] for name in names if holder.get(name) is not None}


def _messages(turn: Turn) -> list[Mapping[str, Any]]:
    rendered: list[Mapping[str, Any]] = [{"role": "system", "content": turn.instructions}]
    told = Told()
    for message in turn.messages:
        _add(rendered, _message(message, told))
    _add(rendered, {"role": "user", "content": prompting.reminder(turn)})
    return rendered


def _add(rendered: list[Mapping[str, Any]], message: Mapping[str, Any]) -> None:
    """Some servers refuse a message that says nothing, and two in a row of the person who asks."""
    if message.get("content") == "":
        return
    if message["role"] == rendered[-1]["role"] == "user":
        message = {"role": "user", "content": f"{rendered.pop()['content']}\n\n{message['content']}"}
    rendered.append(message)


def _message(message: Message, told: Told) -> Mapping[str, Any]:
    match message:
        case Question():
            return {"role": "user", "content": message.text}
        case ToolRequest():
            return message.carried[0] if message.carried else _called(message)
        case ToolReturn():
            content = for_model(message.result, told)
            return {"role": "tool", "tool_call_id": message.call_id, "content": content}
        case Draft():
            return {"role": "assistant", "content": brief(message.text)}
        case Revision():
            return {"role": "user", "content": prompting.revision(message)}


def _called(
    request: ToolRequest, with_message: Mapping[str, Any] = {}, beside_call: Mapping[str, Any] = {}
) -> JsonObject:
    function = {"name": request.name, "arguments": arguments_text(request)}
    call = {"id": request.call_id, "type": "function", "function": function, **beside_call}
    return {"role": "assistant", "content": None, **with_message, "tool_calls": [call]}


def _tool(spec: ToolSpec) -> JsonObject:
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "strict": True,
    }
    return {"type": "function", "function": function}
