"""Reading figures out of Spanish text: what counts as one, where it stands, and its normal form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from dofpilot.agent.figures import norms
from dofpilot.agent.figures.base import Finder, Mention
from dofpilot.agent.figures.provisions import articles, fractions, transitories
from dofpilot.agent.figures.quantities import amounts, percentages, plain_numbers, shares
from dofpilot.agent.outcome import MARKER, FigureKind
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.folding import fold_in_place

__all__ = ["Mention", "scan"]

# Numbering opens a line or a quotation; further on it follows the end of an item, or a colon if it is 1.
_NUMBERING = (
    r"(?m:^[ \t>*-]{0,12}\d{1,3}(?:\.-|[.)])(?=\s))|(?<=[«“\"])\d{1,3}(?:\.-|[.)])(?=\s)"
    # «Art. 78. El patrón» ends an abbreviation, not an item.
    r"|(?:(?<=[.;]\s)(?<!\bart\.\s)(?<!\barts\.\s)(?<!\bno\.\s)(?<!\bnum\.\s)\d{1,2}|(?<=:\s)1)(?:\.-|[.)])(?=\s[^\W\d])"
)
_CLOCK = r"(?<![\w:.,])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\w:])"
_NOT_FIGURES = re.compile(rf"{MARKER.pattern}|https?://\S+|{_NUMBERING}|{_CLOCK}")

# «5, 6 y 7 de enero», «del 5 al 10 por ciento»: the last one says what all of them are.
_JOINED = re.compile(r"[\s*_]*(?:,|,?\s[yeo]|\sal?)\s+(?:el\s+|del?\s+)?[*_]*")
# A dash that opens an aside is no minus sign.
_ASIDE = re.compile(r"—(?=\d)")
_FROM = re.compile(r"\b(?:del?|entre|desde)\s{1,3}(?:(?:el|un)\s{1,3})?$")
_FROM_LENGTH = 20
_LAST_DAY = 31


def scan(text: str) -> tuple[Mention, ...]:
    """Every figure of a text, in order and without overlaps."""
    folded = fold_in_place(_ASIDE.sub(" ", text))
    rest = list(_NOT_FIGURES.sub(lambda match: _hole(len(match.group())), folded))
    found: list[Mention] = []
    for finder in _FINDERS:
        for mention in finder("".join(rest)):
            place = slice(mention.start, mention.end)
            if "\0" not in rest[place]:
                found.append(mention)
                rest[place] = _hole(mention.end - mention.start)
    return tuple(_told_by_the_next(sorted(found, key=lambda mention: mention.start), folded))


def _hole(length: int) -> str:
    """Filler that no pattern reads and that keeps every offset."""
    return "\0" * length


def _dates(text: str) -> Iterator[Mention]:
    for found in dates.find(text):
        yield Mention(FigureKind.DATE, found.value, found.start, found.end)


def _told_by_the_next(found: list[Mention], folded: str) -> list[Mention]:
    for place in range(len(found) - 2, -1, -1):
        mention, after = found[place], found[place + 1]
        if mention.kind is FigureKind.NUMBER and _JOINED.fullmatch(folded, mention.end, after.start):
            found[place] = _as_the_next(mention, after, folded)
    return found


def _as_the_next(mention: Mention, after: Mention, folded: str) -> Mention:
    if after.kind is FigureKind.DATE and len(after.value) in (7, 10) and _is_day(mention.value, after.value):
        value = f"{after.value[:-2]}{int(mention.value):02}"
        return replace(mention, kind=FigureKind.DATE, value=value)
    if after.kind is FigureKind.PERCENTAGE and _said_from(folded, mention.start):
        return replace(mention, kind=FigureKind.PERCENTAGE, unit=after.unit)
    return mention


def _said_from(folded: str, place: int) -> bool:
    return bool(_FROM.search(folded, max(0, place - _FROM_LENGTH), place))


def _is_day(number: str, later: str) -> bool:
    """Whether ``number`` is an earlier day of the month of ``later``, a date that names its day."""
    has_day = len(later) == 10 or later.startswith("--")
    is_day = number.isdigit() and len(number) <= 2
    return has_day and is_day and 1 <= int(number) < int(later[-2:]) <= _LAST_DAY


# Each finder reads what the ones before it left: a date's day is no number, a norm's year no date.
_FINDERS: tuple[Finder, ...] = (
    norms.find,
    _dates,
    transitories,
    articles,
    fractions,
    percentages,
    amounts,
    shares,
    plain_numbers,
)
