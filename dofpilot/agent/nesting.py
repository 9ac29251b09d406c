"""How deep JSON may be nested, before whoever goes through it by calling itself fails in the middle."""

from __future__ import annotations

from typing import Any

DEEPEST = 100
"""Levels; a model's server needs a dozen for the longest thing that it has to say."""


def is_shallow(value: Any, levels: int = DEEPEST) -> bool:
    """Whether ``value`` has at most so many levels of objects and lists."""
    reached = [value]
    for _ in range(levels + 1):
        reached = [inner for outer in reached if isinstance(outer, dict | list) for inner in _inside(outer)]
        if not reached:
            return True
    return False


def _inside(outer: dict[str, Any] | list[Any]) -> list[Any]:
    return list(outer.values()) if isinstance(outer, dict) else outer
