"""The responses format of OpenAI's API. Nothing is stored on the server: each turn sends the conversation."""

from __future__ import annotations

from collections.abc import Mapping
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

_CALL, _MESSAGE, _REASONING = "function_call", "message", "reasoning"
_SEALED = "reasoning.encrypted_content"


class OpenAIResponses(OpenAIProvider):
    """A reasoning model goes on from its own reasoning only when that is sent back to it. Since the server
    stores nothing, it is asked for in its sealed form, which nobody but the server can read."""

    name = "openai-responses"
    usage_keys = openai_usage.RESPONSES
    # Models that do not reason refuse to be asked for their reasoning.
    dispensable = {"include": "encrypted", "parallel_tool_calls": "parallel_tool_calls"}

    def _endpoint(self, client: openai.OpenAI) -> Any:
        return client.responses

    def request(self, turn: Turn) -> JsonObject:
        request: JsonObject = {
            "model": self._connection.model,
            "instructions": turn.instructions,
            "input": _input(turn),
            "store": False,
            "include": [_SEALED],
        }
        if turn.tools:
            request |= {"tools": [_tool(spec) for spec in turn.tools], "parallel_tool_calls": False}
        else:
            request["text"] = {"format": _answer_format(turn.answer_schema)}
        if self._connection.reasoning_effort:
            request["reasoning"] = {"effort": self._connection.reasoning_effort}
        return request

    def _content(self, body: JsonObject, names: CallIds) -> ToolRequest | Draft:
        items = objects(body.get("output"))
        reason = an_object(body.get("incomplete_details")).get("reason")
        if reason == "content_filter":
            raise refused("the server withheld its reply")
        cut = bool(reason) or body.get("status") == "incomplete"
        if not items and not cut:
            raise unusable("the reply has no output", body)
        place = next((place for place, item in enumerate(items) if item.get("type") == _CALL), None)
        if place is None:
            return _drafted(items, cut)
        cut = cut or items[place].get("status") == "incomplete"
        return _drafted(items, cut) if cut else _requested(items[: place + 1], names)


def _requested(items: list[JsonObject], names: CallIds) -> ToolRequest:
    """The call that ``items`` end with."""
    call = items[-1]
    request = ToolRequest(
        names.unique(call.get("call_id")), tool_name(call.get("name")), arguments(call.get("arguments"))
    )
    before = _sent_back(items[:-1])
    return (
        replace(request, carried=(*before, _beside(call, before) | _called(request))) if before else request
    )


def _drafted(items: list[JsonObject], cut: bool) -> Draft:
    said = [place for place, item in enumerate(items) if _is_message(item)]
    draft = Draft(_text([items[place] for place in said]), truncated=cut)
    carried = _sent_back(items[: said[-1] + 1]) if said and not cut and _is_brief(items) else ()
    return replace(draft, carried=carried) if draft.text and _reasons(carried) else draft


def _sent_back(items: list[JsonObject]) -> tuple[JsonObject, ...]:
    """What came before a call, as the server wants it back. Reasoning that is not in it cannot be looked up
    on a server that stores nothing; and the names of the other items would then point to what is absent."""
    # What was said before a call may be left out; its reasoning may not.
    brief_enough = _is_brief(items)
    kept = [
        {name: value for name, value in item.items() if value is not None}
        for item in items
        if (_is_message(item) and brief_enough)
        or (_is_reasoning(item) and (item.get("encrypted_content") or item.get("content")))
    ]
    if not _reasons(kept):
        return tuple({name: value for name, value in item.items() if name != "id"} for item in kept)
    return tuple({"summary": [], **item} if _is_reasoning(item) else item for item in kept)


def _beside(call: JsonObject, before: tuple[JsonObject, ...]) -> JsonObject:
    """A call keeps its name on the server only beside its reasoning."""
    return {"id": call["id"]} if call.get("id") and _reasons(before) else {}


def _reasons(items: Any) -> bool:
    return any(map(_is_reasoning, items))


def _is_brief(items: list[JsonObject]) -> bool:
    """Whether all that was said together is no longer than an answer may be."""
    return is_brief([item for item in items if _is_message(item)])


def _is_reasoning(item: JsonObject) -> bool:
    return bool(item.get("type") == _REASONING)


def _is_message(item: JsonObject) -> bool:
    return bool(item.get("type", _MESSAGE) == _MESSAGE)


def _input(turn: Turn) -> list[Mapping[str, Any]]:
    told = Told()
    items = [item for message in turn.messages for item in _items(message, told)]
    if reminder := prompting.reminder(turn):
        items.append({"role": "user", "content": reminder})
    return items


def _items(message: Message, told: Told) -> tuple[Mapping[str, Any], ...]:
    match message:
        case Question():
            return ({"role": "user", "content": message.text},)
        case ToolRequest():
            return message.carried or (_called(message),)
        case ToolReturn():
            output = for_model(message.result, told)
            return ({"type": "function_call_output", "call_id": message.call_id, "output": output},)
        case Draft():
            said = ({"role": "assistant", "content": brief(message.text)},) if message.text else ()
            return message.carried or said
        case Revision():
            return ({"role": "user", "content": prompting.revision(message)},)


def _called(request: ToolRequest) -> JsonObject:
    return {
        "type": _CALL,
        "call_id": request.call_id,
        "name": request.name,
        "arguments": arguments_text(request),
    }


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


def _text(messages: list[JsonObject]) -> str:
    """What is said in conclusion, where a model tells that from what it says on the way."""
    concluding = [item for item in messages if item.get("phase") == "final_answer"]
    contents = [item.get("content") for item in concluding or messages]
    if any(part.get("type") == "refusal" for content in contents for part in objects(content)):
        raise refused("the model declined to answer")
    return "".join(map(text_of, contents))
