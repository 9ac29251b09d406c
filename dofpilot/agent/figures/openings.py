"""Where a provision's own text begins: it says its number without the word for what it is."""

from __future__ import annotations

import re

from dofpilot.agent.figures.ordinals import ORDINAL, ROMAN
from dofpilot.agent.figures.provisions import ITEM, number_of
from dofpilot.corpus.text.folding import fold_in_place
from dofpilot.corpus.types import Passage

_LINE = r"(?:^|\n)[ \t>*_#|-]{0,20}"
_FRACTION = re.compile(
    rf"(?:{_LINE}|[;:.,]\s{{1,3}}|\sy\s{{1,3}})(?P<number>{ROMAN}(?:-[a-z]\b|\s(?:bis|ter)\b)?)\s?(?:\.|\)|-\s)"
)
_BY_ORDINAL = re.compile(
    rf"(?:{_LINE}|[;:.]\s{{1,3}})(?:articulo\s+)?(?P<number>{ORDINAL}|\d{{1,2}}\.?[oº°])[\s*_]{{0,3}}[.:)-]"
)


def opening(value: str, passage: Passage) -> tuple[int, int] | None:
    """Where ``passage`` opens the provision ``value`` (see ``Mention``): ``8.3 Las medidas``, ``XXI. Los``,
    or ``SEGUNDO.-`` in a passage that speaks of transitory articles."""
    name, _, number = value.partition(" ")
    text = fold_in_place(passage.text)
    if name == "fracción":
        return _numbered(_FRACTION, number, text)
    if name == "transitorio":
        return opens(number, text) if _is_transitory(passage, text) else None
    if "." not in value:
        return None
    match = re.search(rf"(?<![\w.]){re.escape(value)}(?!\.?\d)", passage.text)
    return match.span() if match else None


def opens(number: str, text: str) -> tuple[int, int] | None:
    """Where a folded text opens what it counts by ordinals: ``SEGUNDO.- Se abroga``."""
    return _numbered(_BY_ORDINAL, number, text)


def _is_transitory(passage: Passage, text: str) -> bool:
    return "transitori" in text or "transitori" in fold_in_place(" ".join(passage.heading_path))


def _numbered(pattern: re.Pattern[str], number: str, text: str) -> tuple[int, int] | None:
    for match in pattern.finditer(text):
        item = ITEM.match(text, match.start("number"))
        if item and number_of(item) == number:
            return item.span()
    return None
