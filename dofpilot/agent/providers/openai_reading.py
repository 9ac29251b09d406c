"""Reading what compatible servers send: each spelling that has one meaning only."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from dofpilot.agent.answer import ANSWER_LENGTH
from dofpilot.agent.conversation import ToolRequest
from dofpilot.agent.nesting import is_shallow
from dofpilot.agent.tools import coercion
from dofpilot.agent.tools.coercion import printable

JsonObject = dict[str, Any]

NO_NAME = "unknown"
_NAME_LENGTH = 64
# "functions.read_chunks:0", and what leaks behind the name out of a model's own format.
_NAME = re.compile(r"(?:functions?\.)?(?P<name>[A-Za-z0-9_-]+)(?::\d+)?(?:<\|.*)?", re.DOTALL)
_TAGS = r"(?:seed:)?think(?:ing)?|thought|reasoning"
_OPENING = re.compile(rf"\s*(?:<(?:{_TAGS})>|\[THINK\]|◁think▷)", re.IGNORECASE)
_CLOSING = re.compile(rf"</(?:{_TAGS})>|\[/THINK\]|◁/think▷", re.IGNORECASE)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>final(?:<\|[a-z_]+\|>[a-z]*)?<\|message\|>")
_ENDING = re.compile(r"<\|[a-z_]+\|>\s*$")
_JSON = re.compile(r"\s*(?:\{|```)")
_TEXT_PARTS = (None, "text", "output_text")


def decoded(body: str) -> Any:
    """A body as JSON that any encoding and database can carry; as text where it is none, or nested too deep.

    A number that no JSON can carry on is nothing.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return printable(body)
    return _storable(value) if is_shallow(value) else printable(body)


def objects(values: Any) -> list[JsonObject]:
    """The JSON objects among ``values``; none when it is no list."""
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def an_object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def text_of(content: Any) -> str:
    """Text as a string or in parts, without what a model thought before it."""
    return _answered(content if isinstance(content, str) else "".join(map(_part, _listed(content))))


def tool_name(name: Any) -> str:
    """A name that servers accept in a history; one that no tool has where it is none."""
    text = name.strip() if isinstance(name, str) else ""
    known = _NAME.fullmatch(text)
    named = known["name"] if known else re.sub(r"[^A-Za-z0-9_-]", "_", text)
    return named[:_NAME_LENGTH] or NO_NAME


def arguments(sent: Any) -> Mapping[str, Any] | str:
    """Arguments as they came, for the tool to judge: an object, or the text that should be one."""
    if isinstance(sent, dict | str):
        return sent
    return "{}" if sent is None else json.dumps(sent, ensure_ascii=False)


def arguments_text(request: ToolRequest) -> str:
    """A past call's arguments as a JSON object: servers that parse the history fail on anything else.

    No tool takes arguments that are longer than an answer, and each further turn would send them again.
    """
    value = coercion.decoded(request.arguments)
    if not (isinstance(value, dict) and is_shallow(value)):
        return "{}"
    if isinstance(request.arguments, str) and _is_object(request.arguments):
        # Its very words: a server remembers a beginning that it has seen, not one that means the same.
        text = request.arguments
    else:
        text = json.dumps(_storable(value), ensure_ascii=False)
    return text if len(text) <= ANSWER_LENGTH else "{}"


def is_brief(value: Any) -> bool:
    """Whether something that a model said is no longer than an answer may be."""
    return len(json.dumps(value, ensure_ascii=False)) <= ANSWER_LENGTH


def brief(text: str) -> str:
    """As much of a text as an answer may have: it is sent to the model again with each further turn."""
    return text[:ANSWER_LENGTH]


def _is_object(text: str) -> bool:
    """Also for who is stricter than Python: it takes numbers that JSON does not know, or too large ones."""
    try:
        value = json.loads(text)
        return isinstance(value, dict) and bool(json.dumps(value, allow_nan=False))
    except ValueError:
        return False


def _storable(value: Any) -> Any:
    match value:
        case str():
            return printable(value)
        case dict():
            return {printable(name): _storable(item) for name, item in value.items()}
        case list():
            return [_storable(item) for item in value]
        case float() if not math.isfinite(value):
            return None
    return value


def _listed(content: Any) -> list[Any]:
    return content if isinstance(content, list) else []


def _part(part: Any) -> str:
    """Thoughts come as parts of a kind of their own, and have a text too."""
    if isinstance(part, str):
        return part
    shown = isinstance(part, dict) and part.get("type") in _TEXT_PARTS
    return part["text"] if shown and isinstance(part.get("text"), str) else ""


def _answered(text: str) -> str:
    """What follows the thoughts; nothing where they never end. A template may keep their opening to itself,
    so a closing is enough, but not inside of an answer that is JSON already."""
    if final := list(_FINAL_CHANNEL.finditer(text)):
        return _ENDING.sub("", text[final[-1].end() :])
    # By its place: a copy of what is left after each of many closings would take the square of their time.
    place = 0
    while (opening := _OPENING.match(text, place)) or not _JSON.match(text, place):
        closing = _CLOSING.search(text, place)
        if closing is None:
            return "" if opening else text[place:]
        place = closing.end()
    return text[place:]
