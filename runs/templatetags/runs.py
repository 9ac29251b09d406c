"""Formats of ``runs.presentation`` as template filters."""

from __future__ import annotations

from django import template

from dofpilot.corpus.text import shortening
from runs.presentation import formats

register = template.Library()

register.filter("short_date", formats.short_date, expects_localtime=True)
register.filter("span", formats.span)
register.filter("since", formats.since, expects_localtime=True)


@register.filter
def shorten(text: str, limit: int = formats.TITLE_LIMIT) -> str:
    return shortening.shorten(text, limit)
