"""Cut a passage into the windows that are embedded: short, whole sentences where there are any.

A small model reads a short text better and sooner than a long one: its cost grows faster than the length,
and a fact of one sentence is lost in the vector of a page. Windows are only looked at, never cited.
"""

from __future__ import annotations

import re

from dofpilot.corpus.text.shortening import shorten

WINDOWS_VERSION = "dofpilot-windows-1"

LARGEST = 900
"""Characters of passage text in one window."""
TITLE = 120
"""Characters of the document's title that each window begins with."""

_SEPARATORS = ("\n\n", "\n", ". ", "; ", ", ", " ")
_EMPTY_CELLS = re.compile(r"(?:[-_=.|:*][ \t]*){4,}")
_BLANKS = re.compile(r"[^\S\n]+")
_BREAKS = re.compile(r"\s*\n\s*\n\s*")
# A model's tokenizer in C ends at NUL, and half a surrogate pair is no UTF-8.
_UNREADABLE = re.compile("[\x00\ud800-\udfff]")


def windows(title: str, text: str) -> tuple[str, ...]:
    """What is embedded for a passage: one text or more, each with the title before it.

    A passage of blanks and lines alone gives the title alone, so that each passage has its vector.
    """
    head = shorten(tidy(title), TITLE)
    return tuple(f"{head}\n{piece}".strip() for piece in _pieces(tidy(text)))


def tidy(text: str) -> str:
    """``text`` without what a model can make nothing of: runs of blanks, ruled lines, NUL."""
    drawn = _EMPTY_CELLS.sub(" ", _UNREADABLE.sub(" ", text))
    return _BREAKS.sub("\n\n", _BLANKS.sub(" ", drawn)).strip()


def _pieces(text: str) -> list[str]:
    pieces = []
    while len(text) > LARGEST:
        cut = _cut(text)
        pieces.append(text[:cut].strip())
        text = text[cut:].strip()
    return [*pieces, text]


def _cut(text: str) -> int:
    """Where the next window ends: about where equal windows would, at the strongest pause around it."""
    equal = len(text) / -(-len(text) // LARGEST)
    low, high = int(equal * 0.6), min(LARGEST, int(equal * 1.25))
    for separator in _SEPARATORS:
        # The last one: fewer windows, and so fewer vectors.
        place = text.rfind(separator, low, high)
        if place >= 0:
            return place + len(separator)
    return high
