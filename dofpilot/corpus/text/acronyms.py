"""Acronyms that people write and the gazette spells out: issuing organs, taxes, indices."""

from __future__ import annotations

import re

from dofpilot.corpus.text.wordlists import names

_WORD = re.compile(r"[^\W\d_]{2,12}")
_LONG = 4
_TABLES = ("terms", "institutions")


def spelled_out(text: str) -> tuple[str, ...]:
    """Full names of the acronyms in ``text``, in order of appearance, without repeats."""
    full = (_name(word) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(name for name in full if name))


def _name(word: str) -> str | None:
    if not (word.isupper() or len(word) >= _LONG):
        return None  # «se» is a word, «SE» an acronym
    known = (names(table).get(word.lower()) for table in _TABLES)
    return next((full[0] for full in known if full), None)
