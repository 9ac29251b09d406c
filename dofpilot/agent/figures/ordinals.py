"""Ordinals in words and Roman numerals, as laws count their parts. Patterns expect folded text."""

from __future__ import annotations

import re

_UNITS = {
    "primer": 1, "segund": 2, "tercer": 3, "cuart": 4, "quint": 5, "sext": 6, "septim": 7, "octav": 8,
    "noven": 9,
}  # fmt: skip
_TENS = {
    "decim": 10, "vigesim": 20, "trigesim": 30, "cuadragesim": 40, "quincuagesim": 50, "sexagesim": 60,
    "septuagesim": 70, "octogesim": 80, "nonagesim": 90,
}  # fmt: skip
_WHOLE = {"undecim": 11, "duodecim": 12}
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}

_UNIT = rf"(?:{'|'.join(_UNITS)})"
_ENDING = r"(?:[oa]s?)?"
ORDINAL = (
    rf"\b(?:(?:{'|'.join(_TENS)})[oa]s?(?:\s{{0,3}}{_UNIT}{_ENDING})?|(?:{'|'.join(_WHOLE)})[oa]s?"
    rf"|{_UNIT}{_ENDING}|unic[oa]s?)\b"
)
# «mi», «di» and «mix» are words.
ROMAN = (
    r"\b(?=[ivxlcdm]{1,8}\b)(?!(?:mi|di|mix)\b)"
    r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})(?![a-z0-9])"
)

_STEMS = re.compile("|".join([*_WHOLE, *_TENS, *_UNITS]))


def value_of_ordinal(words: str) -> str:
    """``25`` of «vigésimo quinto»; ``único`` of the only one."""
    if words.startswith("unic"):
        return "único"
    values = _UNITS | _TENS | _WHOLE
    return str(sum(values[stem] for stem in _STEMS.findall(words)))


def value_of_roman(numeral: str) -> int:
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
