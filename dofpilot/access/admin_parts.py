"""What the admin of every room shares: logs that nobody writes, JSON and times laid out for reading."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString


class ReadOnly:
    """For a ``ModelAdmin`` or an inline: no adding, changing or deleting, not even for superusers."""

    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def pretty_json(value: Any) -> SafeString:
    """JSON laid out for reading, escaped."""
    return format_html("<pre>{}</pre>", json.dumps(value, ensure_ascii=False, indent=2))


def short_date(day: date) -> str:
    """Short enough for one column among many, in the reader's order."""
    return date_format(day, "SHORT_DATE_FORMAT")


def short_time(moment: datetime | None) -> str | None:
    return None if moment is None else date_format(timezone.localtime(moment), "SHORT_DATETIME_FORMAT")
