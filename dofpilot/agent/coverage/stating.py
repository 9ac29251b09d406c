"""What a question states: one finder per kind of requirement. Every finder reads folded text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from dofpilot.agent.coverage import periods, ranges
from dofpilot.agent.figures import norms
from dofpilot.agent.figures.provisions import transitories
from dofpilot.agent.outcome import Requirement, RequirementKind
from dofpilot.agent.spanish.published import names_publication
from dofpilot.agent.wording import requirement
from dofpilot.corpus.text import dates

_YEAR = r"(?<![\w/-])(?:19|20)\d\d(?![\w/-])"
_YEARS = re.compile(_YEAR)
# «tipo de cambio» and «varios» compare nothing.
_COMPARES = re.compile(
    r"\b(?:compar|diferencia|evolucion|(?<!tipo de )(?<!tipos de )cambi|aument|increment|disminu|redu[jc])"
    r"|\b(?:vari(?:o|a|aron|ado|acion(?:es)?)|subi(?:o|eron|r|da)|respecto (?:al?|del?)|frente a|versus|vs)\b"
)
# «en 2024, 2025 y 2026», «de 2024 a 2025»: side by side, nothing else can be meant.
_YEARS_IN_A_ROW = re.compile(
    rf"{_YEAR}(?:(?:\s*,\s*|\s*,?\s+(?:[yea]|hasta)\s+)(?:(?:en|de|del|la de|el de)\s+)?{_YEAR})+"
)
_COUNTED = re.compile(
    r"[\s,]{0,5}(?:trabajador|emplead|persona|habitante|usuari|integrante|socio|alumn|estudiante|miembro)"
)
_NUMERAL = r"\d{1,3}(?:\.\d{1,3}){1,6}"
_AND = r"(?:\s*,\s*(?:[yo]\s+)?|\s+(?:[yo]|ni|al?)\s+)(?:del?\s+)?"
_NUMERALS = re.compile(
    r"\b(?:numeral(?:es)?|puntos?|apartados?|incisos?)\s+(?:del?\s+)?"
    rf"(?P<list>{_NUMERAL}(?:{_AND}{_NUMERAL})*)(?!\s*(?:%|por ciento))"
)
_NUMERAL_OR_SPAN = re.compile(rf"(?P<first>{_NUMERAL})(?:\s+al?\s+(?P<last>{_NUMERAL}))?")
_LONGEST_SPAN = 20
_LONGEST_NORM = 60
_ASKED = re.compile(r"¿[^?]*")
# «los numerales citados por el segundo transitorio»: the transitory article is not what is asked for.
_ONLY_NAMES = re.compile(
    r"\b(?:(?:cita|nombra|menciona|senala|enumera|enlista)d[oa]s?\s+(?:por|en)"
    r"|(?:referid|previst)[oa]s?\s+(?:por|en|a)|se\s+refieren?"
    r"|(?<!¿)que\s+(?:cita|nombra|menciona|senala|enumera|enlista|difirio|difiere))\s+(?:(?:el|los)\s+)?$"
)
_PLAN_WORD = re.compile(r"\b(?:plan(?:es)?|programas?|pnd)\b")
_PAIR = r"(?P<first>(?:19|20)\d\d)\s?[-/]\s?(?P<last>(?:19|20)\d\d)(?![\w/-])"
_PLAN_YEARS = (
    re.compile(rf"(?<!escolar )(?<!ciclo )(?<!temporada )(?<!ejercicio )(?<![\w/-]){_PAIR}"),
    re.compile(
        r"\b(?:plan nacional de desarrollo|pnd|plan|programa)\s+(?:de\s+)?"
        r"(?P<first>(?:19|20)\d\d)\s+al?\s+(?P<last>(?:19|20)\d\d)\b"
    ),
)


def stated(question: str, required_hops: int, as_of: date) -> Iterator[Requirement]:
    for finder in _FINDERS:
        yield from finder(question)
    yield from _publication_dates(question, as_of)
    yield from _hops(required_hops)


def _compared_years(question: str) -> Iterator[Requirement]:
    rest = _without_dates(question)
    for pattern in _PLAN_YEARS:
        rest = pattern.sub(_blank, rest)
    rows = [rest] if _COMPARES.search(rest) else _YEARS_IN_A_ROW.findall(rest)
    years = dict.fromkeys(year for row in rows for year in _YEARS.findall(row))
    if len(years) >= 2:
        for year in years:
            yield requirement(RequirementKind.YEAR, year)


def _without_dates(question: str) -> str:
    """A full date's year says when something was published, not which years are compared."""
    for mention in dates.find(question):
        if mention.day:
            filler = " " * (mention.end - mention.start)
            question = f"{question[: mention.start]}{filler}{question[mention.end :]}"
    return question


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _ranges(question: str) -> Iterator[Requirement]:
    """Two ranges or more divide a matter; one alone must count people, or it may be a circumstance. «Por lo
    menos cinco socios» alone may be what the question takes for granted, so it is not demanded."""
    found = ranges.find(_without_dates(question))
    if len(found) >= 2 or any(_counts_people(question, item) for item in found):
        for item in found:
            yield requirement(RequirementKind.RANGE, item.name)


def _counts_people(question: str, item: ranges.Found) -> bool:
    counted = _COUNTED.match(question, item.end) or _COUNTED.search(question, item.start, item.end)
    return bool(counted) and not item.name.endswith(ranges.AT_LEAST)


def _periods(question: str) -> Iterator[Requirement]:
    named = periods.named(question)
    if len(named) >= 2:
        for name in named:
            yield requirement(RequirementKind.PERIODICITY, name)


def _numerals(question: str) -> Iterator[Requirement]:
    for match in _NUMERALS.finditer(question):
        for item in _NUMERAL_OR_SPAN.finditer(match["list"]):
            for numeral in _span(item["first"], item["last"] or item["first"]):
                yield requirement(RequirementKind.NUMERAL, numeral)


def _span(first: str, last: str) -> list[str]:
    """``8.3`` to ``8.5`` are three numerals; two that do not count on from each other stay as they are."""
    (chapter, _, low), (other, _, high) = first.rpartition("."), last.rpartition(".")
    if chapter != other or not int(low) <= int(high) <= int(low) + _LONGEST_SPAN:
        return [first, last]
    return [f"{chapter}.{number}" for number in range(int(low), int(high) + 1)]


def _transitories(question: str) -> Iterator[Requirement]:
    """A transitory article is demanded where the question asks about it, not where it only tells which
    numerals are meant: then it is their text that is wanted."""
    for asked in _ASKED.findall(question) or [question]:
        for mention in transitories(asked):
            if not _ONLY_NAMES.search(asked, 0, mention.start):
                yield requirement(RequirementKind.TRANSITORY, mention.value.removeprefix("transitorio "))


def _norms(question: str) -> Iterator[Requirement]:
    for mention in norms.find(question):
        if len(mention.value) <= _LONGEST_NORM:
            yield requirement(RequirementKind.NORM, mention.value)


def _plans(question: str) -> Iterator[Requirement]:
    patterns = _PLAN_YEARS if _PLAN_WORD.search(question) else ()
    found = [match for pattern in patterns for match in pattern.finditer(question)]
    for match in sorted(found, key=lambda match: match.start("first")):
        yield requirement(RequirementKind.PLAN, f"{match['first']}-{match['last']}")


def _publication_dates(question: str, as_of: date) -> Iterator[Requirement]:
    """What was published after the cut-off cannot be cited, so it is not demanded."""
    for mention in dates.find(question):
        past = mention.value <= as_of.isoformat() and not mention.value.startswith("--")
        if past and names_publication(question, mention.start):
            yield requirement(RequirementKind.PUBLICATION_DATE, mention.value)


def _hops(required_hops: int) -> Iterator[Requirement]:
    if required_hops >= 2:
        yield requirement(RequirementKind.HOPS, str(required_hops))


_FINDERS: tuple[Callable[[str], Iterator[Requirement]], ...] = (
    _compared_years,
    _ranges,
    _periods,
    _numerals,
    _transitories,
    _norms,
    _plans,
)
