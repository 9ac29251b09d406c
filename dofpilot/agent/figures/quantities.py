"""Percentages, amounts of money, shares of a whole and plain numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

from dofpilot.agent.figures.base import Mention
from dofpilot.agent.outcome import FigureKind
from dofpilot.corpus.text import numbers

# Bold and italics of Markdown may stand between a number and its unit.
_GAP = r"[\s*_]*"
_CURRENCY = r"(?:pesos|dolares|euros|moneda nacional|m\.\s?n\.|mxn|usd|eur)"
_SIGN = r"(?:\b(?:us|usd|mx|mxn|eua)\s?)?\$|€|\b(?:usd|mxn|eur)\s"
_CURRENCIES = {
    "USD": re.compile(r"dolares|\bus|\beua|mdd"),
    "EUR": re.compile(r"eur|€"),
    "MXN": re.compile(r"pesos|nacional|m\.\s?n\.|\bmx|mdp"),
}
# A hyphen of a list, a range or an aside is no sign.
_MINUS = r"(?P<minus>(?:(?<=\()|(?<=[^\s\d][ |]))-)?"
_MILLIONS = r"(?P<millions>md[pd])"
_ALONE = r"(?<![\w.,])"
# Numbers in words are slow to look for: a text without any unit is not searched for measured ones.
_PERCENT = r"(?:%|\s?por\s?ciento\b|\s?puntos?\s+porcentual(?:es)?\b)"
_HAS_PERCENT = re.compile(_PERCENT)
_HAS_MONEY = re.compile(rf"[$€]|{_CURRENCY}|md[pd]")
_HAS_SHARE = re.compile(
    r"\b(?:terci|tercer|cuart|quint|sext|septim|octav|noven|decim)[oa]s?\s+(?:partes?|del?)\b|\bmitad\b|\d/\d"
)
_ORDINAL = r"(?:(?:\.?o|\.?\s?[º°ª])(?!\w)\.?)?"
_PERCENTAGE = re.compile(
    rf"(?:{_ALONE}{_MINUS}(?P<digits>{numbers.DIGITS}|{numbers.DECIMAL_COMMA})|(?P<words>{numbers.SPOKEN}))"
    rf"{_GAP}(?P<unit>{_PERCENT})"
)
_AMOUNTS = (
    re.compile(
        rf"{_MINUS}(?:{_SIGN})\s?(?P<digits>{numbers.DIGITS})(?:{_GAP}(?:de\s+)?{_CURRENCY}|\s?{_MILLIONS}\b)?"
    ),
    re.compile(
        rf"{_ALONE}{_MINUS}(?P<digits>{numbers.DIGITS})(?:{_GAP}(?:de\s+)?{_CURRENCY}|\s?{_MILLIONS})(?!\w)"
    ),
    re.compile(
        rf"(?P<words>{numbers.SPOKEN})\s+(?:de\s+)?{_CURRENCY}"
        rf"(?:\s+(?P<cents>\d\d)/100|\s+con\s+(?:(?P<cents_digits>\d\d?)|(?P<cents_words>{numbers.WORDS}))\s+centavos)?"
        rf"(?:\s+m\.\s?n\.)?(?!\w)"
    ),
)
# «LO-16-B00-N-47-2025», «SAT/2025/47», «55-1234-5678»: letters among digits, or too many parts for a range.
_IDENTIFIER = re.compile(
    r"(?<![\w.,/-])(?:(?=[^\W\d_])[^\W_]+(?:[-/_][^\W_]+)+|(?=[-\w]*[^\W\d_])\d[^\W_]*(?:[-_][^\W_]+)+(?:/[^\W_]+)*"
    r"|\d+(?:-\d+){2,}(?!\w))"
)
_NUMBER = re.compile(
    rf"(?<![\w$])(?<!\d[.,/'’]){_MINUS}(?P<digits>{numbers.DIGITS}){_ORDINAL}(?![\w%]|[.,/'’]\d)"
)

_PARTS = {
    "terci": 3, "tercer": 3, "cuart": 4, "quint": 5, "sext": 6, "septim": 7, "octav": 8, "noven": 9,
    "decim": 10,
}  # fmt: skip
_COUNTS = {
    "un": 1, "una": 1, "la": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7,
    "ocho": 8, "nueve": 9,
}  # fmt: skip
_NAMES = "|".join(_PARTS)
# «un cuarto» may be a room and «terceras partes» other people: a share counts its parts or says of what.
_SHARES = (
    re.compile(
        rf"\b(?P<count>un|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)\s+(?P<part>{_NAMES})os?\b(?=\s+del?\b)"
    ),
    re.compile(
        rf"\b(?P<count>dos|tres|cuatro|cinco|seis|siete|ocho|nueve)\s+(?P<part>{_NAMES})as\s+partes\b"
    ),
    re.compile(rf"\b(?P<count>una|la)\s+(?P<part>{_NAMES})a\s+parte\b(?=\s+del?\b)"),
    re.compile(r"(?P<half>\bla\s+mitad\b)(?=\s+del?\b)"),
    re.compile(r"(?<![\w.,/-])(?P<over>[1-9]\d?)/(?P<under>[2-9]|1[0-2]|100)(?![\w/-]|[.,]\d)"),
)


def percentages(text: str) -> Iterator[Mention]:
    for match in _PERCENTAGE.finditer(text) if _HAS_PERCENT.search(text) else ():
        value = _value(match)
        if value is not None:
            unit = "pp" if "punto" in match["unit"] else "%"
            yield Mention(FigureKind.PERCENTAGE, value, match.start(), match.end(), unit)


def amounts(text: str) -> Iterator[Mention]:
    taken = 0
    patterns = _AMOUNTS if _HAS_MONEY.search(text) else ()
    matches = (match for pattern in patterns for match in pattern.finditer(text))
    for match in sorted(matches, key=lambda found: found.start()):
        value = _value(match)
        if value is not None and match.start() >= taken:
            taken = match.end()
            yield Mention(FigureKind.AMOUNT, value, match.start(), match.end(), _currency(match.group()))


def shares(text: str) -> Iterator[Mention]:
    """«tres cuartas partes», «un tercio de», «1/3»: what is less than a whole, in lowest terms."""
    for pattern in _SHARES if _HAS_SHARE.search(text) else ():
        for match in pattern.finditer(text):
            share = _share(match.groupdict())
            if share < 1:
                yield Mention(FigureKind.NUMBER, str(share), match.start(), match.end())


def plain_numbers(text: str) -> Iterator[Mention]:
    text = _IDENTIFIER.sub(_blank_if_numbered, text)
    for match in _NUMBER.finditer(text):
        yield Mention(FigureKind.NUMBER, _value(match) or "", match.start(), match.end())
    for start, end, value in numbers.in_words(text):
        yield Mention(FigureKind.NUMBER, numbers.plain(value), start, end)


def _share(parts: dict[str, str | None]) -> Fraction:
    if parts.get("half"):
        return Fraction(1, 2)
    if over := parts.get("over"):
        return Fraction(int(over), int(parts["under"] or 1))
    return Fraction(_COUNTS[parts["count"] or ""], _PARTS[parts["part"] or ""])


def _currency(written: str) -> str:
    return next((code for code, said in _CURRENCIES.items() if said.search(written)), "")


def _blank_if_numbered(match: re.Match[str]) -> str:
    """A compound without digits may hold a number in words."""
    written = match.group()
    return "\0" * len(written) if any(map(str.isdigit, written)) else written


def _value(match: re.Match[str]) -> str | None:
    """Normal form of ``digits``, or of ``words`` with what follows the point."""
    parts = match.groupdict()
    if parts.get("digits"):
        value = numbers.of_digits(parts["digits"]) * (10**6 if parts.get("millions") else 1)
        return numbers.plain(-value if parts.get("minus") else value)
    whole = numbers.of_spoken(parts["words"] or "")
    if whole is None:
        return None
    return numbers.plain(whole + _cents(parts))


def _cents(parts: dict[str, str | None]) -> Decimal:
    spoken = numbers.of_words(parts.get("cents_words") or "cero") or 0
    return Decimal(parts.get("cents") or parts.get("cents_digits") or spoken) / 100
