"""Abbreviations that the gazette explains where it first uses them: «Salario Mínimo General (SMG)»."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dofpilot.corpus.text.analysis import term, terms
from dofpilot.corpus.text.folding import fold

_SHORT = re.compile(r"\(\**(?P<short>[A-ZÁÉÍÓÚÑ]{2,8})\**\)")
_LONGEST_NAME = 160


def explained(texts: Iterable[str]) -> dict[str, frozenset[str]]:
    """Term of each abbreviation -> terms of its name, where the name's capitals spell it."""
    return {term(short): frozenset(terms(name)) for text in texts for short, name in _pairs(text)}


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for match in _SHORT.finditer(text):
        words = text[max(0, match.start() - _LONGEST_NAME) : match.start()].split()
        wanted, initials = fold(match["short"]), ""
        for first in range(len(words) - 1, -1, -1):
            if words[first][0].isupper():
                initials = fold(words[first][0]) + initials
            if initials == wanted:
                yield match["short"], " ".join(words[first:])
                break
