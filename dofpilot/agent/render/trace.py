"""The full rendering of a result: nothing left out, and back to the same value with its types."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")


class NotRestorable(ValueError):
    """JSON that is no value of the type asked for. ``field`` is the path to what is wrong, or empty."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


def full(value: Any) -> Any:
    """``value`` as JSON: any tool's result, whatever the corpus returns, and what is made of them.

    A set becomes a sorted list, a day ``YYYY-MM-DD``; a dataclass keeps every field, the unset ones too.
    """
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | float() | str():
            return value
        case date():
            return value.isoformat()
        case Mapping():
            return {key: full(item) for key, item in value.items()}
        case Set():
            return sorted(map(full, value))
    # Before sequences: what a search found is both.
    if is_dataclass(value):
        return {item.name: full(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Sequence):
        return [full(item) for item in value]
    raise NotImplementedError(type(value).__name__)


def restored(kind: type[T], rendered: Any, at: str = "") -> T:
    """The value that ``full`` rendered. Raise ``NotRestorable`` naming the field, counted from ``at``."""
    form: Any = kind
    try:
        value: T = _adapter(form).validate_python(rendered)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        path = [at, *map(str, fault["loc"])] if at else map(str, fault["loc"])
        raise NotRestorable(".".join(path), fault["msg"]) from error
    return value


def dumps(rendered: Any) -> str:
    """JSON on one line that UTF-8 can carry and that reads back the same, whatever a model wrote in it."""
    text = json.dumps(rendered, ensure_ascii=False, separators=(",", ":"))
    # Halves of surrogate pairs, which no encoding has: only inside texts, where an escape is as good.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
