"""Dates, spans of time and names of editions as a page writes them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format, number_format
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from dofpilot.corpus.types import Section

EDITIONS: dict[str, Any] = {
    Section.MAT: gettext_lazy("matutina"),
    Section.VES: gettext_lazy("vespertina"),
    Section.EXT: gettext_lazy("extraordinaria"),
}
TITLE_LIMIT = 80


def short_date(value: date | str | None) -> str:
    """``9 dic 2025``; empty for what is no date."""
    day = _as_date(value) if isinstance(value, str) else value
    # The msgid is a Django date format: each language orders and abbreviates in its own way.
    return "" if day is None else str(date_format(day, _("j b Y")))


def _as_date(text: str) -> date | None:
    try:
        return parse_date(text[:10])
    except ValueError:
        return None


def moment(text: str | None) -> datetime | None:
    """A time from the public run (ISO 8601 with offset)."""
    return parse_datetime(text) if text else None


def since(moment: datetime) -> str:
    """``las 14:05`` of today, ``el 9 dic 2025 a las 14:05`` of another day: what follows «desde»."""
    local = timezone.localtime(moment)
    clock = date_format(local, "H:i")
    if local.date() == timezone.localdate():
        return _("las {time}").format(time=clock)
    return _("el {date} a las {time}").format(date=short_date(local.date()), time=clock)


def edition(section: str | None) -> str:
    """The edition of the day in words; an unknown code stays as it is."""
    return str(EDITIONS.get(section or "", section or ""))


def dateline(publication_date: str | None, section: str | None) -> str:
    """``9 dic 2025 · matutina``."""
    return " · ".join(part for part in (short_date(publication_date), edition(section)) if part)


def published(value: str) -> str:
    """``9 dic 2025`` of ``2025-12-09``, ``diciembre de 2025`` of ``2025-12``."""
    if len(value) > len("2025-12"):
        return short_date(value)
    month = _as_date(f"{value}-01")
    if month is None:
        return value
    name = date_format(month, "F")
    # Django's Mexican months begin with a capital, against the rules of Spanish.
    name = name.lower() if (get_language() or "").startswith("es") else name
    return _("{month} de {year}").format(month=name, year=month.year)


def span(seconds: float) -> str:
    """A length of time: ``menos de 1 s``, ``8 s``, ``2 min 5 s``."""
    if seconds < 1:
        return _("menos de 1 s")
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return _("{seconds} s").format(seconds=rest)
    return _("{minutes} min {seconds} s").format(minutes=minutes, seconds=rest)


def exact(milliseconds: int) -> str:
    """A length of time in seconds with two decimals: ``0.34 s``."""
    return _("{seconds} s").format(seconds=number_format(milliseconds / 1000, 2, force_grouping=True))


def wait_range(low: float, high: float) -> str:
    """An estimate in words: ``entre 1 y 3 minutos``; seconds only where minutes would say nothing."""
    if high < 60:
        return _("menos de 1 minuto")
    first, last = int(low // 60), -int(-high // 60)
    if first < 1:
        return ngettext("menos de {n} minuto", "menos de {n} minutos", last).format(n=last)
    if first == last:
        return ngettext("cerca de {n} minuto", "cerca de {n} minutos", last).format(n=last)
    return _("entre {low} y {high} minutos").format(low=first, high=last)
