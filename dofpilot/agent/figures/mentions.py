"""Reading figures out of Spanish text: what counts as one, where it stands, and its normal form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from dofpilot.agent.outcome import MARKER, FigureKind
from dofpilot.corpus.text import dates, numbers
from dofpilot.corpus.text.folding import fold_in_place

# Bold and italics of Markdown may stand between a number and its unit.
_GAP = r"[\s*_]*"
_CURRENCY = r"(?:pesos|dolares|euros|m\.\s?n\.|mxn|usd)"
_ORDINAL = r"(?:\s?[oº°ª](?!\w)\.?)?"
_ITEM = rf"\d+(?:\.\d+)*{_ORDINAL}(?:-[a-z]\b|\s+(?:bis|ter|quater|quinquies|sexies)\b)*"
# «artículos 19, fracción XXI; 71, primer párrafo; y 78»: what is said of one article stands between two.
_BETWEEN_ITEMS = (
    r"(?:,\s*(?:fraccion|parrafo|primer|segundo|tercer|ultimo|inciso|apartado)[^;.\n]{0,80}(?=;))?"
)
_NEXT_ITEM = r"\s*(?:[,;]\s*(?:y\s+|o\s+)?|\by\s+|\bo\s+|\bal?\s+)"

# Numbering opens a line or a quotation; further on it follows the end of an item, or a colon if it is 1.
_NUMBERING = (
    r"(?m:^[ \t>*-]{0,12}\d{1,3}(?:\.-|[.)])(?=\s))|(?<=[«“\"])\d{1,3}(?:\.-|[.)])(?=\s)"
    # «Art. 78. El patrón» ends an abbreviation, not an item.
    r"|(?:(?<=[.;]\s)(?<!\bart\.\s)(?<!\barts\.\s)(?<!\bno\.\s)(?<!\bnum\.\s)\d{1,2}|(?<=:\s)1)(?:\.-|[.)])(?=\s[^\W\d])"
)
_CLOCK = r"(?<![\w:.,])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\w:])"
_NOT_FIGURES = re.compile(rf"{MARKER.pattern}|https?://\S+|{_NUMBERING}|{_CLOCK}")
_NORM = re.compile(r"\b(?:proy-)?(?:nom|nmx)-[a-z0-9]+(?:[-/][a-z0-9]+)*")
_ARTICLES = re.compile(
    rf"\b(?:articulos?|arts?\.?|numeral(?:es)?)\s+(?P<items>{_ITEM}(?:{_BETWEEN_ITEMS}{_NEXT_ITEM}{_ITEM})*)"
)
_ARTICLE_ITEM = re.compile(_ITEM)
_PERCENTAGE = re.compile(
    rf"(?:(?<![\w.,])(?P<digits>{numbers.DIGITS})|(?P<words>{numbers.WORDS})(?:\s+punto\s+(?P<tail>{numbers.WORDS}))?)"
    rf"{_GAP}(?:%|\s?por\s+ciento\b)"
)
_AMOUNTS = (
    re.compile(rf"\$\s?(?P<digits>{numbers.DIGITS})(?:{_GAP}(?:de\s+)?{_CURRENCY})?"),
    re.compile(rf"(?<![\w.,])(?P<digits>{numbers.DIGITS}){_GAP}(?:de\s+)?{_CURRENCY}(?!\w)"),
    re.compile(
        rf"(?P<words>{numbers.WORDS})\s+(?:de\s+)?{_CURRENCY}(?:\s+(?P<cents>\d\d)/100)?(?:\s+m\.\s?n\.)?(?!\w)"
    ),
)
# «LO-16-B00-N-47-2025», «SAT/2025/47», «55-1234-5678»: letters among digits, or too many parts for a range.
_IDENTIFIER = re.compile(
    r"(?<![\w.,/-])(?:(?=[^\W\d_])[^\W_]+(?:[-/_][^\W_]+)+|(?=[-\w]*[^\W\d_])\d[^\W_]*(?:[-_][^\W_]+)+(?:/[^\W_]+)*"
    r"|\d+(?:-\d+){2,}(?!\w))"
)
_NUMBER = re.compile(rf"(?<![\w$])(?<!\d[.,/])(?P<digits>{numbers.DIGITS}){_ORDINAL}(?![\w%]|[.,/]\d)")


@dataclass(frozen=True, slots=True)
class Mention:
    """A figure as some text says it: offsets in that text, and its normal form.

    Amounts, percentages and numbers are plain decimals (``1234.5``); dates as in ``spanish.dates``; norms in
    upper case; articles ``78``, ``4``, ``76 bis``, ``8.3``.
    """

    kind: FigureKind
    value: str
    start: int
    end: int


def scan(text: str) -> tuple[Mention, ...]:
    """Every figure of a text, in order and without overlaps."""
    rest = _NOT_FIGURES.sub(_blank, fold_in_place(text))
    found: list[Mention] = []
    for finder in _FINDERS:
        mentions = list(finder(rest))
        found += mentions
        for mention in mentions:
            rest = f"{rest[: mention.start]}{_hole(mention.end - mention.start)}{rest[mention.end :]}"
    return tuple(sorted(found, key=lambda mention: mention.start))


def _blank(match: re.Match[str]) -> str:
    return _hole(len(match.group()))


def _blank_if_numbered(match: re.Match[str]) -> str:
    """A compound without digits may hold a number in words."""
    return _blank(match) if any(map(str.isdigit, match.group())) else match.group()


def _hole(length: int) -> str:
    """Filler that no pattern reads and that keeps every offset."""
    return "\0" * length


def _norms(text: str) -> Iterator[Mention]:
    for match in _NORM.finditer(text):
        yield Mention(FigureKind.NORM, match.group().upper(), match.start(), match.end())


def _dates(text: str) -> Iterator[Mention]:
    for found in dates.find(text):
        yield Mention(FigureKind.DATE, found.value, found.start, found.end)


def _articles(text: str) -> Iterator[Mention]:
    for match in _ARTICLES.finditer(text):
        start = match.start()
        for item in _ARTICLE_ITEM.finditer(text, match.start("items"), match.end()):
            end = item.start() + len(item.group().rstrip("."))
            yield Mention(FigureKind.ARTICLE, _article_value(item.group()), start, end)
            start = _start_of_next(text, item.end(), match.end())


def _start_of_next(text: str, position: int, end: int) -> int:
    following = _ARTICLE_ITEM.search(text, position, end)
    return following.start() if following else end


def _article_value(item: str) -> str:
    return re.sub(r"\s?[oº°ª](?!\w)\.?", "", item).rstrip(".")


def _percentages(text: str) -> Iterator[Mention]:
    for match in _PERCENTAGE.finditer(text):
        value = _value(match)
        if value is not None:
            yield Mention(FigureKind.PERCENTAGE, value, match.start(), match.end())


def _amounts(text: str) -> Iterator[Mention]:
    taken = 0
    matches = sorted(
        (match for pattern in _AMOUNTS for match in pattern.finditer(text)), key=lambda found: found.start()
    )
    for match in matches:
        value = _value(match)
        if value is not None and match.start() >= taken:
            taken = match.end()
            yield Mention(FigureKind.AMOUNT, value, match.start(), match.end())


def _plain_numbers(text: str) -> Iterator[Mention]:
    text = _IDENTIFIER.sub(_blank_if_numbered, text)
    for match in _NUMBER.finditer(text):
        yield Mention(FigureKind.NUMBER, _value(match) or "", match.start(), match.end())
    for start, end, value in numbers.in_words(text):
        yield Mention(FigureKind.NUMBER, str(value), start, end)


def _value(match: re.Match[str]) -> str | None:
    """Normal form of ``digits``, or of ``words`` with ``tail`` or ``cents`` after the point."""
    parts = match.groupdict()
    if parts.get("digits"):
        return numbers.plain(numbers.of_digits(parts["digits"]))
    whole = numbers.of_words(parts["words"])
    if whole is None:
        return None
    tail = numbers.of_words(parts["tail"]) if parts.get("tail") else parts.get("cents")
    return numbers.plain(Decimal(f"{whole}.{tail or 0}"))


# Each finder reads what the ones before it left: a date's day is no number, a norm's year no date.
_FINDERS: tuple[Callable[[str], Iterator[Mention]], ...] = (
    _norms,
    _dates,
    _articles,
    _percentages,
    _amounts,
    _plain_numbers,
)
