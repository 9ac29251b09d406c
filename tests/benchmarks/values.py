"""Figures, dates, names and identifiers as the gazette writes them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date

from tests.benchmarks import phrases
from tests.benchmarks.vocabulary import zipf

_ROMAN = ((100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
_SMALL = frozenset({"de", "del", "la", "las", "los", "el", "y", "e", "para", "a"})


def pick(chance: random.Random, choices: Sequence[str]) -> str:
    return choices[int(chance.random() * len(choices))]


def roman(number: int) -> str:
    letters = ""
    for value, letter in _ROMAN:
        times, number = divmod(number, value)
        letters += letter * times
    return letters


def title_case(name: str) -> str:
    return " ".join(word if word in _SMALL else word.capitalize() for word in name.lower().split())


def spelled(chance: random.Random, day: date) -> str:
    """``4 de mayo de 2011`` mostly, ``04/05/2011`` and the like at times."""
    first, month = "1o." if day.day == 1 else str(day.day), phrases.MONTHS[day.month - 1]
    if chance.random() < 0.7:
        return f"{first} de {month} de {day.year}"
    return pick(chance, (f"{day:%d/%m/%Y}", f"{day:%d-%m-%Y}", f"{first} de {month} del {day.year}"))


def amount(chance: random.Random) -> str:
    value = 10 ** chance.uniform(2, 8)
    return f"${value:,.2f}" if chance.random() < 0.7 else f"{int(value):,} pesos"


def percentage(chance: random.Random) -> str:
    if chance.random() < 0.7:
        return f"{chance.randrange(1, 1000) / 10:g}%"
    return f"{chance.randrange(2, 90)} por ciento"


def figure(chance: random.Random) -> str:
    return f"{10 ** chance.uniform(0, 4):,.{chance.choice((0, 1, 2, 4))}f}"


def article(chance: random.Random) -> str:
    suffix = pick(chance, ("-A", "-B", " Bis")) if chance.random() < 0.08 else ""
    return f"{1 + zipf(chance, 250)}{suffix}"


def period(chance: random.Random) -> str:
    return f"{pick(chance, phrases.NUMBERS)} {phrases.UNITS[zipf(chance, len(phrases.UNITS))]}"


def law(chance: random.Random) -> str:
    return f"{pick(chance, phrases.NORM_KINDS)} de {phrases.MATTERS[zipf(chance, len(phrases.MATTERS))]}"


def norm(chance: random.Random, year: int) -> str:
    """``NOM-047-SSA1-2011``."""
    organ = pick(chance, phrases.NORM_ORGANS)
    return f"NOM-{1 + zipf(chance, 250):03}-{organ}-{year - chance.randrange(12)}"


def tender(chance: random.Random, year: int) -> str:
    return f"LA-{chance.randrange(1, 60):03}-E{chance.randrange(1, 900)}-{year}"


def person(chance: random.Random) -> str:
    return " ".join(pick(chance, names) for names in (phrases.GIVEN, phrases.SURNAMES, phrases.SURNAMES))
