"""A short piece of a chunk around the place that matches best."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from dofpilot.corpus.text.analysis import WORD, term
from dofpilot.corpus.text.shortening import ELLIPSIS

SNIPPET_LIMIT = 400
_HEAD = re.compile(r"\A(?:[ \t]*(?:#|>|\*\*[^*\n]*\*\*[ \t]*$)[^\n]*\n\s*)+", re.MULTILINE)
"""Title and organ at the head of a document: a hit shows them already."""


def snippet(text: str, wanted: Collection[str], limit: int = SNIPPET_LIMIT) -> str:
    """At most ``limit`` characters on one line, centred on the span with most distinct ``wanted`` terms."""
    text = _HEAD.sub("", text) or text
    room = limit - 2 * len(ELLIPSIS)
    first, last = _best_span(text, wanted, room)
    start = max(0, min((first + last - room) // 2, len(text) - room))
    end = min(len(text), start + room)
    if start:
        start = max(start, text.find(" ", start, first) + 1)
    if end < len(text):
        end = max(last, text.rfind(" ", last, end))
    shown = " ".join(text[start:end].split())
    return (ELLIPSIS if start else "") + shown + (ELLIPSIS if end < len(text) else "")


def _best_span(text: str, wanted: Collection[str], room: int) -> tuple[int, int]:
    places = [
        (match.start(), match.end(), found)
        for match in WORD.finditer(text)
        if (found := term(match[0])) in wanted and match.end() - match.start() <= room
    ]
    best, most, left = (0, 0), 0, 0
    inside: Counter[str] = Counter()
    for _, end, found in places:
        inside[found] += 1
        while end - places[left][0] > room:
            inside[places[left][2]] -= 1
            left += 1
        distinct = sum(1 for count in inside.values() if count)
        if distinct > most:
            best, most = (places[left][0], end), distinct
    return best
