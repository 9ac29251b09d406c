"""The responses format of OpenAI's API. Nothing is stored on the server: each turn sends the conversation."""

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


class OpenAIResponses(OpenAIProvider):
    name = "openai-responses"
    usage_keys = ("input_tokens", "output_tokens")

    def _endpoint(self, client: openai.OpenAI) -> Any:
        return client.responses

    def _request(self, turn: Turn) -> JsonObject:
        request: JsonObject = {
            "model": self._connection.model,
            "instructions": turn.instructions,
            "input": _input(turn),
            "store": False,
        }
        if turn.tools:
            request |= {"tools": [_tool(spec) for spec in turn.tools], "parallel_tool_calls": False}
        else:
            request["text"] = {"format": _answer_format(turn.answer_schema)}
        if self._connection.reasoning_effort:
            request["reasoning"] = {"effort": self._connection.reasoning_effort}
        return request

    def _content(self, body: JsonObject, spare_id: str) -> ToolRequest | Draft:
        items = objects(body.get("output"))
        cut_by = (body.get("incomplete_details") or {}).get("reason")
        if cut_by == "content_filter":
            raise refused("the server withheld its reply")
        calls = [item for item in items if item.get("type") == "function_call"]
        if calls and not cut_by:
            call_id = str(calls[0].get("call_id") or spare_id)
            return ToolRequest(call_id, str(calls[0].get("name")), calls[0].get("arguments") or {})
        if not items and not cut_by:
            raise UnusableReply("the reply has no output")
        return Draft(_text(items), truncated=bool(cut_by))


def _input(turn: Turn) -> list[JsonObject]:
    items = [_item(message) for message in turn.messages]
    if reminder := prompting.reminder(turn):
        items.append({"role": "user", "content": reminder})
    return items


def _item(message: Message) -> JsonObject:
    match message:
        case Question():
            return {"role": "user", "content": message.text}
        case ToolRequest():
            arguments = arguments_text(message)
            return {
                "type": "function_call",
                "call_id": message.call_id,
                "name": message.name,
                "arguments": arguments,
            }
        case ToolReturn():
            output = for_model(message.result)
            return {"type": "function_call_output", "call_id": message.call_id, "output": output}
        case Draft():
            return {"role": "assistant", "content": message.text}
        case Revision():
            return {"role": "user", "content": prompting.revision(message)}


def _tool(spec: ToolSpec) -> JsonObject:
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "strict": True,
    }


def _answer_format(schema: JsonObject) -> JsonObject:
    return {"type": "json_schema", "name": "answer", "schema": schema, "strict": True}


def _text(items: list[JsonObject]) -> str:
    parts = [part for item in items for part in objects(item.get("content"))]
    if any(part.get("type") == "refusal" for part in parts):
        raise refused("the model declined to answer")
    return "".join(str(part.get("text") or "") for part in parts if part.get("type") == "output_text")
