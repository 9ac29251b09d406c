"""Whether cited passages meet a requirement: one test per kind."""

from __future__ import annotations

import re
from collections.abc import Callable

from dofpilot.agent.coverage import periods, ranges
from dofpilot.agent.coverage.sources import Source
from dofpilot.agent.figures import norms
from dofpilot.agent.figures.openings import opens
from dofpilot.agent.outcome import FigureKind, Requirement, RequirementKind
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.folding import fold_in_place

_YEARS = re.compile(r"(?<![\w/-])(?:19|20)\d\d(?![\w/-])")
_COUNTING = frozenset({FigureKind.NUMBER, FigureKind.AMOUNT, FigureKind.PERCENTAGE})


def met_by(item: Requirement, sources: list[Source], answer: str) -> tuple[int, ...]:
    """Ids of the passages that meet it by themselves, or of all of them where it takes several."""
    test = _TESTS[item.kind]
    alone = [source for source in sources if test(item.value, [source], answer)]
    together = alone or (sources if test(item.value, sources, answer) else [])
    return tuple(source.passage.chunk_id for source in together)


def _year(year: str, sources: list[Source], answer: str) -> bool:
    pattern = re.compile(rf"(?<![\w-]){year}(?!\w)")
    if not any(year in source.said and pattern.search(source.said) for source in sources):
        return False
    return bool(pattern.search(answer)) or not _YEARS.search(answer)


def _range(name: str, sources: list[Source], _answer: str) -> bool:
    """The same range in other words («51 o más» is «más de 50»), or all its limits, in one passage."""
    (asked,) = ranges.find(fold_in_place(name))
    limits = {str(limit) for limit in asked.limits}
    return any(
        asked.range in source.ranges
        or limits <= {said.value for kind in _COUNTING for said in source.mentions(kind)}
        for source in sources
    )


def _period(name: str, sources: list[Source], answer: str) -> bool:
    """A passage that says how the values are computed names periods too, and gives no value."""
    return periods.says(name, answer) and any(
        periods.says(name, source.said) and source.gives_value for source in sources
    )


def _numeral(numeral: str, sources: list[Source], _answer: str) -> bool:
    """The numeral opens its own text; a transitory article that only names it does not contain it."""
    number = re.escape(numeral)
    line = re.compile(rf"(?m)^[ \t>*_#|-]{{0,20}}{number}(?!\.?\d)[\s.*_|)-]*\w")
    # Within a paragraph it follows the end of a sentence and begins another.
    inside = re.compile(rf"[.;:]\s+{number}(?!\.?\d)[\s.*_)-]*[^\W\d_a-záéíóúüñ]")
    return any(
        any(line.search(text) for text in (*source.headings, source.text))
        or inside.search(source.passage.text)
        for source in sources
        if numeral in source.said
    )


def _transitory(number: str, sources: list[Source], _answer: str) -> bool:
    """Named as such, or opening its own text: a passage may have lost the heading «Transitorios»."""
    value = f"transitorio {number}"
    return any(
        any(mention.value == value for mention in source.mentions(FigureKind.ARTICLE))
        or any(opens(number, text) for text in (*source.headings, source.text))
        for source in sources
    )


def _norm(norm: str, sources: list[Source], _answer: str) -> bool:
    return any(
        norms.same(norm, mention.value) for source in sources for mention in source.mentions(FigureKind.NORM)
    )


def _plan(years: str, sources: list[Source], _answer: str) -> bool:
    pattern = re.compile(r"\s?(?:-|/|al?)\s?".join(years.split("-")))
    return any(pattern.search(source.said) for source in sources)


def _publication_date(value: str, sources: list[Source], _answer: str) -> bool:
    """A document of that date, or a passage that names it as the date of something published."""
    return any(
        dates.same(value, source.passage.publication.publication_date.isoformat())
        or any(dates.same(value, mention.value) for mention in source.mentions(FigureKind.DATE))
        for source in sources
    )


def _hops(hops: str, sources: list[Source], _answer: str) -> bool:
    return len({source.passage.publication.document_id for source in sources}) >= int(hops)


_TESTS: dict[RequirementKind, Callable[[str, list[Source], str], bool]] = {
    RequirementKind.YEAR: _year,
    RequirementKind.RANGE: _range,
    RequirementKind.PERIODICITY: _period,
    RequirementKind.NUMERAL: _numeral,
    RequirementKind.TRANSITORY: _transitory,
    RequirementKind.NORM: _norm,
    RequirementKind.PLAN: _plan,
    RequirementKind.PUBLICATION_DATE: _publication_date,
    RequirementKind.HOPS: _hops,
}
