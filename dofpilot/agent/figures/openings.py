"""Where a provision's own text begins: it says its number without the word for what it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from dofpilot.agent.figures.ordinals import ORDINAL, ROMAN
from dofpilot.agent.figures.provisions import ITEM, number_of
from dofpilot.agent.figures.reading import PASSAGES_KEPT
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
    if name == "fracción":
        return _opened(_FRACTION, _folded(passage.text)).get(number)
    if name == "transitorio":
        return opens(number, _folded(passage.text)) if _is_transitory(passage) else None
    if "." not in value or value not in passage.text:
        return None
    match = re.search(rf"(?<![\w.]){re.escape(value)}(?!\.?\d)", passage.text)
    return match.span() if match else None


def opens(number: str, text: str) -> tuple[int, int] | None:
    """Where a folded text opens what it counts by ordinals: ``SEGUNDO.- Se abroga``."""
    return _opened(_BY_ORDINAL, text).get(number)


def _is_transitory(passage: Passage) -> bool:
    return any("transitori" in _folded(text) for text in (passage.text, *passage.heading_path))


# An answer may name as many provisions as it has room for, and each is looked for in every passage.
@lru_cache(PASSAGES_KEPT)
def _folded(text: str) -> str:
    return fold_in_place(text)


@lru_cache(2 * PASSAGES_KEPT)
def _opened(pattern: re.Pattern[str], text: str) -> Mapping[str, tuple[int, int]]:
    """The first place of each number that opens something."""
    places: dict[str, tuple[int, int]] = {}
    for match in pattern.finditer(text):
        if item := ITEM.match(text, match.start("number")):
            places.setdefault(number_of(item), item.span())
    return places
