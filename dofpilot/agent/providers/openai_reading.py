"""Reading what compatible servers send: each spelling that has one meaning only."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from dofpilot.agent.conversation import ToolRequest
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
_TEXT_PARTS = frozenset({None, "text", "output_text"})


def decoded(body: str) -> Any:
    """A body as JSON that any encoding and database can carry; as text where it is none."""
    try:
        return _storable(json.loads(body, parse_constant=lambda _: None))
    except (ValueError, RecursionError):
        return printable(body)


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
    """A past call's arguments as a JSON object: servers that parse the history fail on anything else."""
    value = coercion.decoded(request.arguments)
    if not isinstance(value, Mapping):
        return "{}"
    if isinstance(request.arguments, str) and _is_object(request.arguments):
        # Its very words: a server remembers a beginning that it has seen, not one that means the same.
        return request.arguments
    return json.dumps(dict(value), ensure_ascii=False)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
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
