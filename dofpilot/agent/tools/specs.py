"""The tools as a model sees them: name, description, strict JSON schema."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from dofpilot.agent.conversation import ToolSpec
from dofpilot.agent.tools.arguments import ARGUMENTS, ToolArguments, ToolName

# Titles and defaults say nothing to a model; strict mode does not promise to know the lengths of a text,
# which are checked here anyway.
_DROPPED = frozenset({"title", "default", "minLength", "maxLength"})


def strict_schema(model: type[ToolArguments]) -> dict[str, Any]:
    """Every property required (an optional one takes null), none beyond them, enums written in place."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    schema.pop("description", None)
    properties: dict[str, Any] = {}
    for name, described in schema["properties"].items():
        plain = _plain(described, definitions)
        properties[name] = _nullable(plain) if name in model.optional_names() else plain
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _plain(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        return {"type": target["type"], "enum": target["enum"]}
    return {key: _plain(value, definitions) for key, value in node.items() if key not in _DROPPED}


def _nullable(node: dict[str, Any]) -> dict[str, Any]:
    if "anyOf" in node:
        return node
    description = {"description": node.pop("description")}
    return {"anyOf": [node, {"type": "null"}], **description}


@cache
def spec(tool: ToolName) -> ToolSpec:
    model = ARGUMENTS[tool]
    return ToolSpec(tool.value, " ".join((model.__doc__ or "").split()), strict_schema(model))


def specs(tools: Iterable[ToolName]) -> tuple[ToolSpec, ...]:
    return tuple(spec(tool) for tool in tools)
