"""Admin of logs: read by who may view them, written by nobody."""

from __future__ import annotations

import json
from typing import Any

from django.db.models import Model
from django.http import HttpRequest
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
