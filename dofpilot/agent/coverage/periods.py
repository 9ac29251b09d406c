"""How often something is due or counted: «diario», «al mes», «por año»."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

# The «Diario Oficial» is no value per day.
_ADJECTIVES = {
    "diario": r"diari[oa]s?(?!\s+oficial)|diariamente", "semanal": r"semanal\w*",
    "quincenal": r"quincenal\w*", "mensual": r"mensual\w*", "bimestral": r"bimestral\w*",
    "trimestral": r"trimestral\w*", "semestral": r"semestral\w*", "anual": r"anual\w*",
}  # fmt: skip
_UNITS = {
    "diario": "dia", "semanal": "semana", "quincenal": "quincena", "mensual": "mes", "bimestral": "bimestre",
    "trimestral": "trimestre", "semestral": "semestre", "anual": "ano",
}  # fmt: skip
_PERIODS = {
    name: re.compile(rf"\b(?:(?P<adjective>{_ADJECTIVES[name]})|(?:al|por|cada)\s+{_UNITS[name]})\b")
    for name in _ADJECTIVES
}
_JOINED = re.compile(r"\s*(?:,|,?\s[yeo])\s+")


class Named(NamedTuple):
    start: int
    end: int
    name: str
    adjective: bool


def named(question: str) -> list[str]:
    """Periods that the question names. «Al día» may be an idiom, so such words count only beside another."""
    found = list(_find(question))
    joined = {
        item
        for one, other in pairwise(found)
        if _JOINED.fullmatch(question, one.end, other.start)
        for item in (one, other)
    }
    return list(dict.fromkeys(item.name for item in found if item.adjective or item in joined))


def says(name: str, text: str) -> bool:
    """Whether a folded text names the period in any of its forms."""
    # Most texts name none, and a plain look costs a tenth of the pattern.
    stems = (name[:5], _UNITS[name])
    return any(stem in text for stem in stems) and bool(_PERIODS[name].search(text))


def _find(question: str) -> Iterator[Named]:
    yield from sorted(
        Named(match.start(), match.end(), name, bool(match["adjective"]))
        for name, pattern in _PERIODS.items()
        for match in pattern.finditer(question)
    )
