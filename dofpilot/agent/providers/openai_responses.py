"""The responses format of OpenAI's API. Nothing is stored on the server: each turn sends the conversation."""

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


class OpenAIResponses:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._wire = Wire(connection)

    @property
    def identity(self) -> ProviderIdentity:
        connection = self._connection
        return ProviderIdentity("openai-responses", connection.model, True, connection.reasoning_effort)

    def respond(self, turn: Turn) -> Reply:
        request = self._request(turn)

        def send(client: openai.OpenAI, seconds: float) -> Any:
            return client.responses.with_raw_response.create(**request, timeout=seconds)

        return self._wire.exchange(send, lambda body: _reply(body, turn), turn.seconds)

    def _request(self, turn: Turn) -> dict[str, Any]:
        request: dict[str, Any] = {
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


def _reply(body: JsonObject, turn: Turn) -> Reply:
    raise_error_body(body)
    content = _content(body, f"call_{len(turn.messages)}")
    return Reply(content, usage(body, "input_tokens", "output_tokens"))


def _content(body: JsonObject, spare_id: str) -> ToolRequest | Draft:
    """The first tool call, or the text. A call that the length limit cut is not carried out."""
    items = objects(body.get("output"))
    cut_by = (body.get("incomplete_details") or {}).get("reason")
    if cut_by == "content_filter":
        raise refused("the server withheld its reply")
    calls = [item for item in items if item.get("type") == "function_call"]
    if calls and not cut_by:
        call_id = str(calls[0].get("call_id") or spare_id)
        return ToolRequest(call_id, str(calls[0].get("name")), calls[0].get("arguments") or {})
    if not items and not cut_by:
        raise WireError("the reply has no output")
    return Draft(_text(items), truncated=bool(cut_by))


def _text(items: list[JsonObject]) -> str:
    parts = [part for item in items for part in objects(item.get("content"))]
    if any(part.get("type") == "refusal" for part in parts):
        raise refused("the model declined to answer")
    return "".join(str(part.get("text") or "") for part in parts if part.get("type") == "output_text")
