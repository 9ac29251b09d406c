"""The agent's sentences in the reader's language.

They are stored in Spanish. An event keeps its templates beside them; a finished run keeps only the
sentences, so that the template is found again by its shape.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from dofpilot.agent import wording
from dofpilot.agent.outcome import RequirementKind

REQUIREMENTS: dict[str, Any] = {
    RequirementKind.YEAR: gettext_lazy("un pasaje que hable de {value}"),
    RequirementKind.RANGE: gettext_lazy("un pasaje que trate el caso «{value}»"),
    RequirementKind.PERIODICITY: gettext_lazy("el valor {value}"),
    RequirementKind.NUMERAL: gettext_lazy("el texto del numeral {value}"),
    RequirementKind.NORM: gettext_lazy("un pasaje de la {value}"),
    RequirementKind.PLAN: gettext_lazy("un pasaje del plan {value}"),
    RequirementKind.HOPS: gettext_lazy("pasajes de al menos {value} documentos distintos"),
}
_FIELD = re.compile(r"\\\{(\w+)\\\}")


def sentence(payload: Mapping[str, Any], field: str) -> str:
    """``payload[field]``, said again from its template; as it was recorded where that does not work."""
    recorded = str(payload.get(field) or "")
    say = payload.get("say") or {}
    template = say.get(field)
    if not template:
        return recorded
    try:
        return gettext(template).format(**say.get("values", {}))
    except (LookupError, ValueError):
        return recorded


def retold(text: str) -> str:
    """A sentence of ``agent.wording`` as it was stored, said again; any other text as it is."""
    for template, shape in _shapes():
        if match := shape.fullmatch(text):
            return gettext(template).format(**match.groupdict())
    return text


def is_told_by(text: str, *templates: str) -> bool:
    """Whether ``text`` was made from one of ``templates``."""
    return any(shape.fullmatch(text) for template, shape in _shapes() if template in templates)


def requirement(item: Mapping[str, str]) -> str:
    """A requirement of coverage in words; one that only Spanish can say stays in Spanish."""
    template = REQUIREMENTS.get(item["kind"])
    return str(template).format(value=item["value"]) if template else item["text"]


@cache
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    templates = [value for name, value in vars(wording).items() if name.isupper() and isinstance(value, str)]
    return tuple((template, _shape(template)) for template in templates)


def _shape(template: str) -> re.Pattern[str]:
    return re.compile(_FIELD.sub(r"(?P<\1>.+)", re.escape(template)), re.DOTALL)
