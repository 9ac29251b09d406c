"""Ranges of whole numbers: «hasta 15», «entre 16 y 50», «más de 50», and the other ways to say them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dofpilot.corpus.text import numbers

_N = (
    rf"(?:(?:\d{{1,3}}(?:,\d{{3}})+|\d{{1,15}})(?![.,]?\d|\.?[oº°])(?:\s+{numbers.SCALE}\b)?|{numbers.WORDS})"
)
AT_LEAST = "o más"
_LOW, _HIGH = rf"(?P<low>{_N})", rf"(?P<high>{_N})"


@dataclass(frozen=True, slots=True)
class Range:
    """Both limits belong to it; ``None``: it has no such limit."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Found:
    """``name`` says it as «hasta 15», «entre 16 y 50», «más de 50», «menos de 16» or «16 o más»."""

    range: Range
    name: str
    start: int
    end: int
    limits: tuple[int, ...]


_FORMS = (
    (re.compile(rf"\bentre\s+(?:los\s+)?{_LOW}\s+y\s+(?:los\s+)?{_HIGH}"), "entre {} y {}"),
    (re.compile(rf"\b(?:de|desde)\s+(?:los\s+)?{_LOW}\s+(?:a|hasta)\s+(?:los\s+)?{_HIGH}"), "entre {} y {}"),
    (re.compile(rf"(?<![\w.,/-]){_LOW}\s?(?:-|\ba\b)\s?{_HIGH}(?![\w/-])"), "entre {} y {}"),
    (
        re.compile(
            rf"\b(?:hasta|no\s+(?:mas|excedan?)\s+de|no\s+mayor(?:es)?\s+(?:a|de|que)|a\s+lo\s+(?:mas|sumo)"
            rf"|como\s+maximo|maximo(?:\s+de)?)\s+(?:con\s+)?{_HIGH}"
        ),
        "hasta {}",
    ),
    (re.compile(rf"{_HIGH}\s+(?:\w+\s+)?o\s+menos\b"), "hasta {}"),
    (
        re.compile(
            rf"\b(?:no\s+menos\s+de|al\s+menos|por\s+lo\s+menos|como\s+minimo|minimo(?:\s+de)?|a\s+partir\s+de)"
            rf"\s+{_LOW}"
        ),
        f"{{}} {AT_LEAST}",
    ),
    (re.compile(rf"{_LOW}\s+(?:\w+\s+)?[ou]\s+mas\b"), f"{{}} {AT_LEAST}"),
    (
        re.compile(rf"\b(?:mas\s+de|superior(?:es)?\s+a|mayor(?:es)?\s+(?:a|de|que)|excedan?\s+de)\s+{_LOW}"),
        "más de {}",
    ),
    (
        re.compile(rf"\b(?:menos\s+de|inferior(?:es)?\s+a|menor(?:es)?\s+(?:a|de|que))\s+{_HIGH}"),
        "menos de {}",
    ),
)
_BEYOND = {"más de {}": 1, "menos de {}": -1}
_YEARS = range(1900, 2100)


def find(text: str) -> list[Found]:
    """Ranges of a folded text in order, without overlaps; what a pair of years spans is none."""
    every = sorted(_every(text), key=lambda found: (found.start, -found.end))
    kept: list[Found] = []
    for found in every:
        if not kept or found.start >= kept[-1].end:
            kept.append(found)
    return kept


def _every(text: str) -> Iterator[Found]:
    for pattern, form in _FORMS:
        for match in pattern.finditer(text):
            limits = {name: _number(said) for name, said in match.groupdict().items()}
            values = tuple(value for value in limits.values() if value is not None)
            if len(values) == len(limits) and not any(value in _YEARS for value in values):
                low, high = (_moved(limits.get(name), _BEYOND.get(form, 0)) for name in ("low", "high"))
                yield Found(Range(low, high), form.format(*values), match.start(), match.end(), values)


def _moved(limit: int | None, steps: int) -> int | None:
    return None if limit is None else limit + steps


def _number(said: str) -> int | None:
    return int(numbers.of_digits(said)) if said[0].isdigit() else numbers.of_words(said)
