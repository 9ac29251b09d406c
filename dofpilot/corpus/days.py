"""Publication days as integers, as every index of a corpus keeps them."""

from __future__ import annotations

from datetime import date


def day_number(day: date) -> int:
    """YYYYMMDD."""
    return day.year * 10_000 + day.month * 100 + day.day


def day_of(number: int) -> date:
    """The day of a number made by ``day_number``; raise ``ValueError`` for any other."""
    return date(number // 10_000, number // 100 % 100, number % 100)
