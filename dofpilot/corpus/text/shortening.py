"""Cutting text at a known length, with a sign that it was cut."""

from __future__ import annotations

ELLIPSIS = "…"


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters, cut between words where one ends in the last fifth."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > limit * 4 // 5 else cut).rstrip() + ELLIPSIS
