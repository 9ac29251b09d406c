"""Uses of a passage in an answer's text, in the many ways that models write them.

Answers keep one form alone, ``[chunk_id]`` (see ``outcome.MARKER``). ``[^12]``, ``【12】``, ``[chunk 12]``,
``[12, 13]``, ``[12-14]`` and ``[12](https://…)`` can mean nothing else, so they are read as it. A number as
long as ids are leaves no doubt whatever stands beside it: ``[doc 574500, p. 3]``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

_PASSES = 20
_WIDEST = 50
_ID = r"[-−]?\d+"
_NAME = (
    r"(?:(?:\^|#|\b(?:chunk|pasaje|passage|fuente|source|ref|cita|id)s?(?:[_ ]?ids?)?\.?[-–]?)"
    r"(?:\s{0,3}[:=#])?\s{0,3})?"
)
_ITEM = rf"{_NAME}(?P<first>{_ID})(?P<decimals>\.0+)?(?:\s{{0,3}}(?:[-–—]|\bal?\b)\s{{0,3}}(?P<last>\d+))?"
_ONE = re.sub(r"\?P<\w+>", "?:", _ITEM)
_BREAK = r"(?:\s{0,3}(?:[,;、|&]|\b(?:y|e|and)\b)\s{0,3}|\s{1,3})"
# A target goes with its marker: the answer links its sources by itself, and to nowhere else.
_TARGET = r"\(\s{0,3}<?(?:[a-z][a-z0-9+.-]{0,20}:|//|[#/.]|www\.)[^()\n]{0,500}\)"
_IDS = rf"(?>{_ONE}(?:{_BREAK}{_ONE})*)"
_SQUARE = r"\[［【〔⟦〚", r"\]］】〕⟧〛"
_OPEN, _CLOSE = f"[{_SQUARE[0]}]", f"[{_SQUARE[1]}]"
_LONG = r"(?<!\d)\d{6,19}(?!\d)"
_SHORTEST_LONG = 10**5
_LINK = rf"(?:{_TARGET}|(?P<aimed>\(\s{{0,3}}{_LONG}\s{{0,3}}\)))?"
_WRITTEN = re.compile(
    rf"(?P<before>(?<![ \t])[ \t]*)(?:{_OPEN}(?P<second>{_OPEN})?(?P<third>{_OPEN})?\s{{0,3}}(?P<ids>{_IDS})"
    rf"(?:\s?†[^\]】\n]{{0,40}})?\s{{0,3}}{_CLOSE}(?(second){_CLOSE})(?(third){_CLOSE}){_LINK}"
    # In other brackets a number may be anything, unless it says that it is a passage's or is a known id.
    rf"|[({{]\s{{0,3}}(?P<told>{_IDS})\s{{0,3}}[)}}])",
    re.IGNORECASE,
)
_WITH_LONG = re.compile(
    rf"(?P<before>(?<![ \t])[ \t]*)\\?{_OPEN}(?P<second>{_OPEN})?"
    rf"(?P<inside>[^{_SQUARE[0]}{_SQUARE[1]}\n]{{6,80}}){_CLOSE}(?(second){_CLOSE}){_LINK}",
    re.IGNORECASE,
)
_SAYS_SO = re.compile(r"chunk|pasaje", re.IGNORECASE)
_EACH = re.compile(_ITEM, re.IGNORECASE)
_PERIOD = re.compile(r"(?:19|20)\d\d\s?[-–—]\s?(?:19|20)\d\d")
_BRACKETS = str.maketrans("[]", "()")


def clean(text: str) -> str:
    """Without what cannot be seen, or turns the direction of what can: it may hide in a marker."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char for char in lines if char in "\n\t" or unicodedata.category(char) not in ("Cf", "Cc"))


def rewrite(
    text: str,
    keeps: Callable[[int | str], bool],
    known: Callable[[int], bool],
    resembles: Callable[[int], bool],
) -> str:
    """Every marker as ``[chunk_id]`` of what it names and ``keeps`` accepts; nothing of the others is left.

    ``keeps`` is given a number, or the text of what is none. ``known`` tells a marker from a period of years
    or a number in parentheses; ``resembles``, whether a long number beside words may be an id.
    """

    def marked(match: re.Match[str]) -> str:
        written = match["ids"] or match["told"]
        named = [name for item in _EACH.finditer(written) for name in _named(item)]
        if _may_be_another(match, [name for name in named if isinstance(name, int)], known):
            return match.group()
        return shown(match, named)

    def marked_by_length(match: re.Match[str]) -> str:
        named = _long_numbers(match["inside"])
        is_address = "//" in match["inside"]
        if any(known(name) or (resembles(name) and not is_address) for name in named):
            return shown(match, named)
        return match.group()

    def shown(match: re.Match[str], named: Sequence[int | str]) -> str:
        kept = [name for name in (*named, *_long_numbers(match["aimed"] or "")) if keeps(name)]
        return match["before"] + "".join(f"[{name}]" for name in dict.fromkeys(kept)) if kept else ""

    # What stood around a marker that went may make another one: «[[99]12]».
    for _ in range(_PASSES):
        before, text = text, _WITH_LONG.sub(marked_by_length, _WRITTEN.sub(marked, text))
        if text == before:
            return text
    return text.translate(_BRACKETS)


def _may_be_another(match: re.Match[str], numbers: list[int], known: Callable[[int], bool]) -> bool:
    """Whether what looks like a marker may be a period of years, or a number in parentheses."""
    if written := match["told"]:
        return not _SAYS_SO.match(written) and not any(
            number >= _SHORTEST_LONG and known(number) for number in numbers
        )
    return bool(_PERIOD.fullmatch(match["ids"])) and not any(map(known, numbers))


def _long_numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(_LONG, text)]


def _named(item: re.Match[str]) -> Iterator[int | str]:
    """What one item of a marker names; of a span, all that it spans."""
    first, last = _number(item["first"]), _number(item["last"] or item["first"])
    if item["decimals"] or not first <= last <= first + _WIDEST:
        yield item.group()
    else:
        yield from range(first, last + 1)


def _number(written: str) -> int:
    # No passage has so long a number, and Python refuses to read far longer ones.
    return int(written[:40].replace("−", "-"))
