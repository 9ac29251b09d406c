"""Parts of laws that a text names by number: articles, numerals, fractions and transitory articles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from dofpilot.agent.figures.base import Mention
from dofpilot.agent.figures.ordinals import ORDINAL, ROMAN, value_of_ordinal, value_of_roman
from dofpilot.agent.outcome import FigureKind
from dofpilot.corpus.text.numbering import LATIN

_MARK = r"(?:(?:\.?o|\.?\s?[º°ª])(?!\w)\.?)?"
_LATIN = rf"(?:\s{{1,3}}{LATIN.lower()}\b(?:[-\s]\d{{1,2}}\b(?!\s(?:dias|mes|ano|horas)))?)?"
_DIGITS = rf"\d+(?:\.\d+)*{_MARK}(?:-[a-z]\b)?{_LATIN}"
_SUFFIX = rf"(?:-[a-z0-9]{{1,2}}\b)?{_LATIN}"
ITEM = re.compile(
    rf"(?P<digits>{_DIGITS})|(?P<roman>{ROMAN}){_SUFFIX}(?!(?<=\b[cdlm])\))|(?P<ordinal>{ORDINAL}){_LATIN}"
)
# What a list says of one of its items: «19, fracción XXI; 71, primer párrafo; y 78», «2 (fracción XIII), 27».
_ASIDE = re.compile(
    r"(?:,\s*(?:fracci|parrafo|primer|segundo|tercer|ultimo|inciso|apartado)[^;.\n()]{0,80}?"
    r"(?=;|,?\s+en relacion con))"
    r"|,\s*inciso\s+[a-z]\)|\s?\([^()\n]{0,80}\)"
)
_NEXT = re.compile(
    r"\s*[,;]\s*(?:[yeo]\s+)?(?:del?\s+)?(?:en relacion con (?:el|los)\s+)?"
    r"|\s+(?:[yeo]|ni|al?)\s+(?:el\s+)?|\s+en relacion con (?:el|los)\s+"
)
# «artículo 78, 12 días»: what is counted ends the list.
_COUNTED = re.compile(
    r"(?:,\d{3}\b)|\s*(?:%|por\s?ciento|pesos|dolares|dias?\b|mes(?:es)?\b|anos?\b|horas?\b|semanas?\b|veces\b|centavos"
    r"|mil\b|millon|trabajador|persona|empleado|habitante|socio|usuario|unidades|[°º]c\b|m[²2]\b|hectarea)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_ARTICLES = re.compile(r"\b(?:articulos?|arts?\.?|numeral(?:es)?)\s+(?=\w)")
_FRACTIONS = re.compile(r"\bfracc(?:ion(?:es)?|s?\.)\s+(?=[\dixvlcdm])")
_TRANSITORIES = re.compile(r"\btransitorios?(?:\s+articulos?)?[\s*_#:]+(?=\w)")
_BEFORE_TRANSITORY = re.compile(
    rf"(?:\barticulos?\s+)?(?P<items>(?:{ORDINAL}|\b\d{{1,2}}\.?[oº°]\.?)"
    rf"(?:(?:,\s*|\s+y\s+)(?:{ORDINAL}|\b\d{{1,2}}\.?[oº°]\.?)){{0,30}})\s+(?:articulos?\s+)?transitorios?\b"
)


def articles(text: str) -> Iterator[Mention]:
    """Articles and numerals; each of a list is one."""
    for match in _ARTICLES.finditer(text):
        yield from _listed(text, match, str)


def fractions(text: str) -> Iterator[Mention]:
    for match in _FRACTIONS.finditer(text):
        yield from _listed(text, match, "fracción {}".format)


def transitories(text: str) -> Iterator[Mention]:
    """«segundo transitorio», «artículo transitorio segundo», or the first one under its heading."""
    for match in _BEFORE_TRANSITORY.finditer(text) if "transitori" in text else ():
        items = list(ITEM.finditer(text, match.start("items"), match.end("items")))
        for item in items:
            start = match.start() if item is items[0] else item.start()
            end = match.end() if item is items[-1] else item.end()
            yield Mention(FigureKind.ARTICLE, f"transitorio {number_of(item)}", start, end)
    for match in _TRANSITORIES.finditer(text):
        yield from _listed(text, match, "transitorio {}".format)


def _listed(text: str, head: re.Match[str], named: Callable[[str], str]) -> Iterator[Mention]:
    """One mention for each item after ``head``, all counted alike; the first begins with it."""
    start, place, counted = head.start(), head.end(), None
    while item := ITEM.match(text, place):
        if counted and not _goes_on(text, item, counted):
            return
        end = item.start() + len(item.group().rstrip("."))
        yield Mention(FigureKind.ARTICLE, named(number_of(item)), start, end)
        aside = _ASIDE.match(text, item.end())
        after = _NEXT.match(text, aside.end() if aside else item.end())
        if after is None:
            return
        start = place = after.end()
        counted = item.lastgroup


def _goes_on(text: str, item: re.Match[str], counted: str) -> bool:
    same_way = item.lastgroup == counted
    return same_way and not _COUNTED.match(text, item.end()) and not _YEAR.fullmatch(item.group())


def number_of(item: re.Match[str]) -> str:
    """The number that a match of ``ITEM`` says, whether in digits, in Roman numerals or as an ordinal."""
    if item["digits"]:
        return _plain(item["digits"])
    words = item[item.lastgroup or 0]
    number = str(value_of_roman(words)) if item["roman"] else value_of_ordinal(words)
    return f"{number}{item.group()[len(words) :]}"


def _plain(digits: str) -> str:
    return " ".join(re.sub(_MARK, "", digits).rstrip(".").split())
