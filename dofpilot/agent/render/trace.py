"""Everything that a tool returned, scores, boosts and paths included: for the local trace alone."""

from __future__ import annotations

from typing import Any

from pydantic import RootModel

from dofpilot.agent.tools.results import ToolResult


class _Trace(RootModel[ToolResult]):
    """Dumps any of the result types by its own fields."""


def trace(result: ToolResult) -> dict[str, Any]:
    """JSON-ready: the result's type under ``result`` and all its fields by name."""
    fields: dict[str, Any] = _Trace.model_construct(result).model_dump(mode="json")
    return {"result": type(result).__name__, **fields}
