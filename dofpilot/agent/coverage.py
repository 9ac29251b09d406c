"""What a question itself demands of the sources of its answer, and whether the cited passages meet it.

One finder and one test per kind. A finder demands only what the question states without doubt: a demand that
no source can meet would refuse every answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from dofpilot.agent.figures.mentions import Mention, scan
from dofpilot.agent.figures.reading import PASSAGES_KEPT, said_around, said_in
from dofpilot.agent.outcome import Coverage, FigureKind, Requirement, RequirementKind
from dofpilot.agent.wording import requirement
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.folding import fold_in_place
from dofpilot.corpus.types import Passage

_YEAR = re.compile(r"(?<![\w-])(?:19|20)\d\d(?![\w-])")
_COMPARES = re.compile(
    r"\bcompar|\bdiferencia|\bevolucion|\b(?:vari|cambi|aument|subi|increment)\w*"
    r"|\b(?:de|entre|desde)\s+(?:19|20)\d\d\s+(?:a|y|hasta)\s+(?:19|20)\d\d\b"
)
_RANGES = (
    (re.compile(r"\bentre\s+(\d{1,6})\s+y\s+(?:los\s+)?(\d{1,6})\b"), "entre {} y {}"),
    (re.compile(r"\bde\s+(\d{1,6})\s+a\s+(\d{1,6})\b"), "entre {} y {}"),
    (re.compile(r"\bhasta\s+(?:con\s+)?(\d{1,6})\b"), "hasta {}"),
    (re.compile(r"\bmas\s+de\s+(\d{1,6})\b"), "más de {}"),
    (re.compile(r"\bmenos\s+de\s+(\d{1,6})\b"), "menos de {}"),
)
_COUNTED = re.compile(r"[\s,]*(?:trabajador|emplead|persona|habitante|usuari|integrante|socio)")
_PERIODS = ("diari", "semanal", "quincenal", "mensual", "bimestral", "trimestral", "semestral", "anual")
_PERIOD_NAMES = {"diari": "diario"}
_NUMERALS = re.compile(r"\bnumeral(?:es)?\s+((?:\d{1,4}(?:\.\d{1,4}){1,6}(?:\s*,\s*|\s+y\s+|\s+o\s+)?)+)")
_LONGEST_NORM = 60
_PLAN_YEARS = re.compile(r"(?<![\w-])((?:19|20)\d\d)\s?-\s?((?:19|20)\d\d)(?![\w-])")
_PLAN = re.compile(r"\b(?:plan(?:es)?|programas?|pnd)\b")
_PUBLISHED = re.compile(
    r"\b(?:(?:public(?:ad[oa]s?|o|aron|acion)|sali(?:o|eron)|sac(?:o|aron))\b[^.,;:?]{0,60}?\b(?:el|en)|"
    r"(?:dof|diario oficial(?: de la federacion)?|\bedicion(?: \w+)?)\s+(?:del|de|el))\s+$"
)


def requirements(question: str, required_hops: int, as_of: date) -> tuple[Requirement, ...]:
    """What the question demands, in a fixed order of kinds, without repeats; often nothing."""
    folded = fold_in_place(question)
    found = [demand for finder in _FINDERS for demand in finder(folded)]
    found += _publication_dates(folded, as_of)
    found += _hops(required_hops)
    return tuple(dict.fromkeys(found))


def assess(
    required: Sequence[Requirement], passages: Sequence[Passage], cited: Sequence[int], answer_text: str
) -> Coverage:
    """Which requirements are left unmet by the ``passages`` whose id is in ``cited``.

    A passage speaks with its text, its headings and its document's title. Compared years and periods must
    also be named in ``answer_text``, or its reader cannot tell which value is which.
    """
    sources = [_source(passage) for passage in passages if passage.chunk_id in set(cited)]
    answer = fold_in_place(answer_text)
    missing = tuple(item for item in required if not _TESTS[item.kind](item.value, sources, answer))
    return Coverage(tuple(required), missing)


@dataclass(frozen=True, slots=True)
class _Source:
    """A cited passage with all that it says, folded, and the figures in it."""

    passage: Passage
    headings: tuple[str, ...]
    text: str
    said: str

    def mentions(self, kind: FigureKind) -> list[Mention]:
        said = (*said_around(self.passage), *said_in(self.passage))
        return [mention for mention in said if mention.kind is kind]


# Every turn asks again what was read so far.
@lru_cache(PASSAGES_KEPT)
def _source(passage: Passage) -> _Source:
    headings = tuple(map(fold_in_place, passage.heading_path))
    text = fold_in_place(passage.text)
    said = "\n".join((fold_in_place(passage.publication.title), *headings, text))
    return _Source(passage, headings, text, said)


def _compared_years(question: str) -> Iterator[Requirement]:
    years = dict.fromkeys(_YEAR.findall(_without_dates(question)))
    if len(years) >= 2 and _COMPARES.search(question):
        for year in years:
            yield requirement(RequirementKind.YEAR, year)


def _without_dates(question: str) -> str:
    """A full date's year says when something was published, not which years are compared."""
    for mention in dates.find(question):
        if mention.day:
            question = question.replace(
                question[mention.start : mention.end], " " * (mention.end - mention.start)
            )
    return question


def _ranges(question: str) -> Iterator[Requirement]:
    """Two ranges or more divide a matter; one alone must count people, or it may be a circumstance."""
    found = sorted(
        (match.start(), template.format(*match.groups()), match.end())
        for pattern, template in _RANGES
        for match in pattern.finditer(question)
        if not any(_YEAR.fullmatch(number) for number in match.groups())
    )
    if len(found) >= 2 or any(_COUNTED.match(question, end) for _, _, end in found):
        for _, name, _ in found:
            yield requirement(RequirementKind.RANGE, name)


def _periods(question: str) -> Iterator[Requirement]:
    named = [stem for stem in _PERIODS if re.search(rf"\b{stem}", question)]
    if len(named) >= 2:
        for stem in named:
            name = _PERIOD_NAMES.get(stem, stem)
            yield requirement(RequirementKind.PERIODICITY, name)


def _numerals(question: str) -> Iterator[Requirement]:
    for match in _NUMERALS.finditer(question):
        for numeral in re.findall(r"[\d.]*\d", match[1]):
            yield requirement(RequirementKind.NUMERAL, numeral)


def _norms(question: str) -> Iterator[Requirement]:
    for mention in scan(question):
        if mention.kind is FigureKind.NORM and len(mention.value) <= _LONGEST_NORM:
            yield requirement(RequirementKind.NORM, mention.value)


def _plans(question: str) -> Iterator[Requirement]:
    if _PLAN.search(question):
        for match in _PLAN_YEARS.finditer(question):
            years = f"{match[1]}-{match[2]}"
            yield requirement(RequirementKind.PLAN, years)


def _publication_dates(question: str, as_of: date) -> Iterator[Requirement]:
    """What was published after the cut-off cannot be cited, so it is not demanded."""
    for mention in dates.find(question):
        past = mention.value <= as_of.isoformat() and not mention.value.startswith("--")
        if past and _PUBLISHED.search(question, 0, mention.start):
            yield requirement(RequirementKind.PUBLICATION_DATE, mention.value)


def _hops(required_hops: int) -> Iterator[Requirement]:
    if required_hops >= 2:
        yield requirement(RequirementKind.HOPS, str(required_hops))


_FINDERS: tuple[Callable[[str], Iterator[Requirement]], ...] = (
    _compared_years,
    _ranges,
    _periods,
    _numerals,
    _norms,
    _plans,
)


def _year_met(year: str, sources: list[_Source], answer: str) -> bool:
    pattern = re.compile(rf"(?<![\w-]){year}(?!\w)")
    return bool(pattern.search(answer)) and any(pattern.search(source.said) for source in sources)


def _range_met(name: str, sources: list[_Source], _answer: str) -> bool:
    """Every limit of the range is in one passage, in digits or words; «51 o más» is «más de 50»."""
    limits = [int(number) for number in re.findall(r"\d+", name)]
    beyond = {"más de": 1, "menos de": -1}.get(name.rsplit(" ", 1)[0], 0)
    return any(
        all({str(limit), str(limit + beyond)} & {mention.value for mention in numbers} for limit in limits)
        for numbers in (source.mentions(FigureKind.NUMBER) for source in sources)
    )


def _period_met(name: str, sources: list[_Source], answer: str) -> bool:
    pattern = re.compile(rf"\b{name[:6]}")
    return bool(pattern.search(answer)) and any(pattern.search(source.said) for source in sources)


def _numeral_met(numeral: str, sources: list[_Source], _answer: str) -> bool:
    """The numeral opens its own text; a transitorio that only names it does not contain it."""
    opens = re.compile(rf"(?m)^[ \t>*_#|-]{{0,20}}{re.escape(numeral)}(?!\.?\d)[\s.*_|)-]*\w")
    return any(opens.search(text) for source in sources for text in (*source.headings, source.text))


def _norm_met(norm: str, sources: list[_Source], _answer: str) -> bool:
    return any(
        f"{mention.value}-".startswith(f"{norm}-")
        for source in sources
        for mention in source.mentions(FigureKind.NORM)
    )


def _plan_met(years: str, sources: list[_Source], _answer: str) -> bool:
    pattern = re.compile(r"\s?(?:-|a|al)\s?".join(years.split("-")))
    return any(pattern.search(source.said) for source in sources)


def _publication_met(value: str, sources: list[_Source], _answer: str) -> bool:
    """A document of that date, or a passage that names it as the date of something published."""
    return any(
        dates.same(value, source.passage.publication.publication_date.isoformat())
        or any(dates.same(value, mention.value) for mention in source.mentions(FigureKind.DATE))
        for source in sources
    )


def _hops_met(hops: str, sources: list[_Source], _answer: str) -> bool:
    return len({source.passage.publication.document_id for source in sources}) >= int(hops)


_TESTS: dict[RequirementKind, Callable[[str, list[_Source], str], bool]] = {
    RequirementKind.YEAR: _year_met,
    RequirementKind.RANGE: _range_met,
    RequirementKind.PERIODICITY: _period_met,
    RequirementKind.NUMERAL: _numeral_met,
    RequirementKind.NORM: _norm_met,
    RequirementKind.PLAN: _plan_met,
    RequirementKind.PUBLICATION_DATE: _publication_met,
    RequirementKind.HOPS: _hops_met,
}
