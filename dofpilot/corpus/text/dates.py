"""Dates as the gazette writes them, in normal form.

``2026-01-09`` a day, ``2026-01`` a month of a year, ``--01-09`` a day of a month without its year.
``find`` expects text already folded by ``folding.fold_in_place``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from dofpilot.corpus.text import numbers

MONTHS = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
)  # fmt: skip
_SHORT = {name[:3]: index for index, name in enumerate(MONTHS, start=1)}
_FULL_MONTH = rf"(?P<month>(?:{'|'.join(MONTHS)}|setiembre)\b)"
_MONTH = rf"(?P<month>(?:{'|'.join(MONTHS)}|setiembre)\b|(?:{'|'.join(_SHORT)}|sept)\b\.?)"
_DAY = rf"(?P<day>\b\d{{1,2}}|\bprimero|{numbers.WORDS})(?:\.?\s?(?:ero|er|[oº°])\b|\.?[º°])?\.?"
_YEAR = rf"(?P<year>\d{{4}}\b|(?=(?:dos\s+)?mil\b){numbers.WORDS})"
_OF = r"(?:\s+de)?\s+"
_OF_YEAR = r"(?:\s*,)?(?:\s+(?:de|del))?(?:\s+ano)?\s+"
# What may end a date stands before it in no longer number: 8,1 de enero or 3.1 de enero are no dates.
_NO_DIGIT_BEFORE = r"(?<![\w.,/-])"

_IN_DIGITS = tuple(
    re.compile(rf"{_NO_DIGIT_BEFORE}{pattern}")
    for pattern in (
        r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?![\w-])",
        r"(?P<day>\d{1,2})[-/](?P<month>\d{1,2})[-/](?P<year>\d{4})(?![\w/-])",
        r"(?P<day>\d{2})[-/](?P<month>\d{2})[-/](?P<year>\d{2})(?![\w/-])",
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>(?:19|20)\d\d)(?![\w.-])",
    )
)
_IN_WORDS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_NO_DIGIT_BEFORE}(?P<day>\d{{1,2}})[-/]{_MONTH}[-/](?P<year>\d{{4}})(?![\w/-])",
        rf"{_NO_DIGIT_BEFORE}{_DAY}{_OF}{_MONTH}{_OF_YEAR}{_YEAR}",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:\s*,|\s+del?)?\s+(?P<year>(?:19|20)\d\d)(?!\w|[.,]\d)",
        rf"\b{_MONTH}{_OF_YEAR}(?P<year>\d{{4}}\b)",
        rf"{_NO_DIGIT_BEFORE}{_DAY}\s+de\s+{_FULL_MONTH}",
    )
)
# A year of two digits from here on is one of the last century.
_LAST_CENTURY = 50
_NAMES_MONTH = re.compile(_MONTH)


@dataclass(frozen=True, slots=True)
class DateMention:
    value: str
    start: int
    end: int

    @property
    def day(self) -> date | None:
        """The day, when the mention names all of it."""
        return date.fromisoformat(self.value) if len(self.value) == 10 else None


def find(text: str) -> tuple[DateMention, ...]:
    """Every date in folded text, in order, the fullest reading of each place."""
    found: list[DateMention] = []
    taken = bytearray(len(text))
    # Days in words are slow to look for, and most texts name no month.
    for pattern in (*_IN_DIGITS, *(_IN_WORDS if _NAMES_MONTH.search(text) else ())):
        for match in pattern.finditer(text):
            value = _value(match.groupdict())
            if value and not any(taken[match.start() : match.end()]):
                found.append(DateMention(value, match.start(), match.end()))
                taken[match.start() : match.end()] = b"\1" * len(match.group())
    return tuple(sorted(found, key=lambda mention: mention.start))


def spelled(day: date) -> str:
    """``9 de enero de 2026``, as the gazette writes it."""
    return f"{day.day} de {MONTHS[day.month - 1]} de {day.year}"


def same(asked: str, said: str) -> bool:
    """Whether ``said`` is the date ``asked`` or a fuller form of it (``2026-01`` by ``2026-01-09``)."""
    return asked in forms(said)


def forms(value: str) -> tuple[str, ...]:
    """A date and, of a full one, its month and its day without the year."""
    return (value, value[:7], f"-{value[4:]}") if len(value) == 10 else (value,)


def _value(parts: dict[str, str | None]) -> str | None:
    year, month, day = (_number(parts.get(name)) for name in ("year", "month", "day"))
    if month is None or (parts.get("day") and day is None) or (parts.get("year") and year is None):
        return None
    if year is not None and year < 100:
        year += 2000 if year < _LAST_CENTURY else 1900
    try:
        # 2000 has a 29 February: a day without its year may be one.
        date(2000 if year is None else year, month, 1 if day is None else day)
    except ValueError:
        return None
    if year is None:
        return f"--{month:02}-{day:02}"
    return f"{year:04}-{month:02}" if day is None else f"{year:04}-{month:02}-{day:02}"


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if text.isdigit():
        return int(text)
    if text == "primero":
        return 1
    return _SHORT.get(text.replace("setiembre", "sep")[:3]) or numbers.of_words(text)
