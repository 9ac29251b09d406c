"""Remarks, requirements and the values of sentences as JSON, for events and for the finished run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from dofpilot.agent.outcome import Remark, Requirement


def remark(item: Remark) -> dict[str, Any]:
    return {"code": item.code.value, "text": item.text, "values": values(item.values)}


def requirement(item: Requirement) -> dict[str, str]:
    return {"kind": item.kind.value, "value": item.value, "text": item.text}


def values(named: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in named.items()}


def _plain(value: Any) -> Any:
    match value:
        case Remark():
            return remark(value)
        case Requirement():
            return requirement(value)
        case tuple():
            return [_plain(item) for item in value]
        case date():
            return {"date": value.isoformat()}
    return value
