"""Numbers as Spanish text writes them, in digits (``1,234.50``, ``10 mil``) and in words (``veintiuno``).

A point alone is decimal, as Mexico writes it; ``1.234.567`` and ``1.234,50`` cannot be, and group thousands.

Every pattern expects text already folded by ``folding.fold_in_place``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

_UNITS = {
    "un": 1, "uno": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7,
    "ocho": 8, "nueve": 9,
}  # fmt: skip
_TEENS = {
    "cero": 0, "diez": 10, "once": 11, "doce": 12, "trece": 13, "catorce": 14, "quince": 15,
    "dieciseis": 16, "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veinte": 20, "veintiun": 21,
    "veintiuno": 21, "veintiuna": 21, "veintidos": 22, "veintitres": 23, "veinticuatro": 24,
    "veinticinco": 25, "veintiseis": 26, "veintisiete": 27, "veintiocho": 28, "veintinueve": 29,
}  # fmt: skip
_TENS = {
    "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80,
    "noventa": 90,
}  # fmt: skip
_HUNDREDS = {
    "cien": 100, "ciento": 100, "doscient": 200, "trescient": 300, "cuatrocient": 400, "quinient": 500,
    "seiscient": 600, "setecient": 700, "ochocient": 800, "novecient": 900,
}  # fmt: skip
_SCALES = {"mil": 10**3, "millon": 10**6, "millones": 10**6, "billon": 10**12, "billones": 10**12}
_ANY = 10**15
_ONE = frozenset({"un", "uno", "una"})


def _any_of(names: dict[str, int]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_HUNDREDS_PATTERN = "|".join(f"{name}(?:os|as)" if name.endswith("ient") else name for name in _HUNDREDS)
_PART = (
    rf"(?:(?:{_any_of(_TENS)})(?:\s{{1,3}}y\s{{1,3}}(?:{_any_of(_UNITS)}))?\b"
    rf"|(?:{_any_of(_TEENS)})\b|(?:{_HUNDREDS_PATTERN})\b|(?:{_any_of(_SCALES)})\b|(?:{_any_of(_UNITS)})\b)"
)

# «por ciento» ends a percentage; its last word is no number. The bound keeps a page of «mil mil mil ...»
# from costing its square.
# Most words fail on their first letters, before any name is compared.
_FIRST = "(?=un|d[io]|tr|c[aeiu]|se[ist]|si|o[cn]|nu|nov|qui|ve|mil|bil)"
# Before another number «un» is an article: «un doce por ciento».
_ARTICLE = rf"(?:una?\s{{1,3}}(?!mil|bill){_PART})"
WORDS = rf"\b(?!(?<=por )ciento\b){_FIRST}(?!{_ARTICLE}){_PART}(?:\s{{1,3}}{_PART}){{0,11}}"
SCALE = r"(?:mil\s+millones|mil|millones|millon|billones|billon)"
# The bounds keep a line of groups of three from costing its square.
_GROUPED = (
    r"\d{1,3}(?:[,'’]\d{3}){1,6}(?:\.\d+)?"
    r"|[1-9]\d{0,2}(?: \d{3}){1,6}(?!\d)(?:\.\d+|,\d{1,2}(?!\d))?"
    r"|\d{1,3}(?:\.\d{3}){1,6},\d{1,2}(?!\d)"
    r"|\d{1,3}(?:\.\d{3}){2,6}(?![\d.,])"
)
_IN_DIGITS = rf"(?:{_GROUPED}|\d+(?:\.\d+)?|(?<![\w.])\.\d+)"
_HALF = r"(?:\s+y\s+medi[oa]\b)"
# «3 mil 500», «2 millones 500 mil»
_REST = r"(?:\s+\d{1,3}(?:\s+mil\b)?(?![\d.,/%]))?"
DIGITS = rf"{_IN_DIGITS}(?:\s+{SCALE}\b{_REST})?{_HALF}?"
DECIMAL_COMMA = r"\d+,\d{1,2}(?!\d)"

_HALF_OF = r"\bmedio\s{1,3}(?:millon|billon)\b"
SPOKEN = rf"(?:{_HALF_OF}|{WORDS}(?:\s+punto\s+{WORDS}|{_HALF}(?:\s+(?:millones|billones)\b)?)?)"
"""A number in words with what it has beyond a whole: «seis punto cinco», «doce y medio», «medio millón»."""
_SPOKEN = re.compile(SPOKEN)
_HALVED = re.compile(rf"(?P<whole>.+?){_HALF}(?:\s+(?P<scale>millones|billones))?")
_TERM = re.compile(rf"(?P<digits>{DECIMAL_COMMA}|{_IN_DIGITS})(?:\s+(?P<scale>{SCALE})\b)?")
_EUROPEAN = re.compile(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d{1,2})?|\d{1,3}(?:\.\d{3})+,\d{1,2}|\d+,\d{1,2}")


def plain(number: Decimal) -> str:
    """Normal form: no separators, no trailing zeros, no exponent (``1234.5``)."""
    return f"{number.normalize():f}"


def of_digits(text: str) -> Decimal:
    """Value of a match of ``DIGITS`` or ``DECIMAL_COMMA``."""
    terms = [
        (_of_figures(term["digits"]), _scale_value(term["scale"] or "")) for term in _TERM.finditer(text)
    ]
    half = _half_of(text) if re.search(_HALF, text) else Decimal()
    return sum((number * scale for number, scale in terms), half)


def _of_figures(written: str) -> Decimal:
    digits = re.sub(r"[ '’]", "", written)
    if _EUROPEAN.fullmatch(digits):
        return Decimal(digits.replace(".", "").replace(",", "."))
    return Decimal(digits.replace(",", ""))


def of_spoken(text: str) -> Decimal | None:
    """Value of a match of ``SPOKEN``; ``None`` when the words do not make one number."""
    if text.startswith("medi"):
        return Decimal(_SCALES[text.split()[1]]) / 2
    if halved := _HALVED.fullmatch(text):
        whole = of_words(halved["whole"])
        if whole is None:
            return None
        return (whole + _half_of(halved["whole"])) * _scale_value(halved["scale"] or "")
    whole_words, *decimals = re.split(r"\s+punto\s+", text)
    return _with_decimals(whole_words, decimals[0] if decimals else None)


def _half_of(text: str) -> Decimal:
    """Of «3 millones y medio» half a million, of «doce y medio» a half."""
    large = re.search(r"\b[mb]ill(?:on|ones)\b", text)
    return Decimal(_SCALES[large.group()] if large else 1) / 2


def _with_decimals(whole: str, decimals: str | None) -> Decimal | None:
    """Value of two matches of ``WORDS``, the second said after «punto»; ``None`` when one is no number."""
    units = of_words(whole)
    if units is None or not decimals:
        return None if units is None else Decimal(units)
    # «punto cero cinco»: the zeros keep their places, and no number begins with them.
    zeros = re.match(r"(?:cero\s+)*", decimals)
    count = zeros.group().count("cero") if zeros else 0
    rest = of_words(decimals[zeros.end() if zeros else 0 :])
    return None if rest is None else Decimal(f"{units}.{'0' * count}{rest}")


def of_words(text: str) -> int | None:
    """Value of a match of ``WORDS``; ``None`` when the words do not make one number (``dos tres``)."""
    total, group, floor, highest = 0, 0, _ANY, _ANY
    for word in (word for word in text.split() if word != "y"):
        scale = _SCALES.get(word)
        if scale is None:
            value = _small(word)
            if value >= floor:
                return None
            group, floor = group + value, _next_floor(value)
        elif scale == 10**3:
            if group >= 10**3:
                return None
            group, floor = (group or 1) * scale, scale
        else:
            if scale >= highest:
                return None
            total, group, floor, highest = total + (group or 1) * scale, 0, _ANY, scale
    return total + group


def in_words(text: str) -> Iterator[tuple[int, int, Decimal]]:
    """(start, end, value) of every number in words. A lone ``un``, ``uno`` or ``una`` is an article."""
    for match in _SPOKEN.finditer(text):
        value = of_spoken(match.group())
        if value is not None and match.group() not in _ONE:
            yield match.start(), match.end(), value


def _scale_value(words: str) -> int:
    value = 1
    for word in words.split():
        value *= _SCALES[word]
    return value


def _small(word: str) -> int:
    for table in (_UNITS, _TEENS, _TENS):
        if word in table:
            return table[word]
    return _HUNDREDS.get(word) or _HUNDREDS[word[:-2]]


def _next_floor(value: int) -> int:
    """What follows must be below this: after 30 only units, after 200 less than 100."""
    if value >= 100:
        return 100
    return 10 if value >= 30 else 0
