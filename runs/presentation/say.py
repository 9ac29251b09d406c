"""The agent's sentences in the reader's language.

They are stored finished, in Spanish, with what is needed to say them again: the template of a step's
sentence, the code of a remark, the kind of a requirement; and the values in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from dofpilot.agent.outcome import RequirementKind
from dofpilot.agent.wording import REMARKS, REQUIREMENTS, demand, named
from runs.presentation import formats


def sentence(payload: Mapping[str, Any], field: str) -> str:
    """``payload[field]``, said again from its template; as it was recorded where that does not work."""
    say = payload.get("say") or {}
    recorded = str(payload.get(field) or "")
    first = _said(say.get(field), say.get("values", {}))
    notes = [_said(note["message"], note["values"]) for note in say.get("notes", [])]
    parts = [first, *notes] if field == "message" else [first]
    return recorded if None in parts else ". ".join(map(str, parts))


def remark(item: Mapping[str, Any]) -> str:
    """A warning of a run, or a reason to revise its answer."""
    return _said(REMARKS.get(item["code"]), item["values"]) or str(item["text"])


def requirement(item: Mapping[str, str]) -> str:
    kind, value = item["kind"], item["value"]
    if kind not in REQUIREMENTS:
        return item["text"]
    demanded = RequirementKind(kind)
    return _said(demand(demanded, value), {"value": _named(demanded, value)}) or item["text"]


def _named(kind: RequirementKind, value: str) -> str:
    if kind is RequirementKind.PUBLICATION_DATE:
        return formats.published(value)
    words = named(kind, value)
    return (words and _said(words.template, words.values)) or value


def _said(template: str | None, values: Mapping[str, Any]) -> str | None:
    """``None`` where there is no template, or values that do not fit it."""
    if not template:
        return None
    try:
        return gettext(template).format(**{name: _in_words(value) for name, value in values.items()})
    except (LookupError, ValueError):
        return None


def _in_words(value: Any) -> Any:
    match value:
        case {"code": _}:
            return remark(value)
        case {"kind": _}:
            return requirement(value)
        case {"date": day}:
            return formats.short_date(day) or day
        case list():
            return "; ".join(str(_in_words(item)) for item in value)
    return value
