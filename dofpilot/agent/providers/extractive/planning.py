"""From a question to a fixed plan of searches. Everything follows from its words: no index is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from dofpilot.agent.conversation import Question
from dofpilot.agent.coverage import requirements
from dofpilot.agent.figures.mentions import scan
from dofpilot.agent.outcome import FigureKind, Requirement, RequirementKind
from dofpilot.agent.providers.extractive import asking
from dofpilot.agent.spanish.gazette import gazette_words
from dofpilot.agent.tools.arguments import QUERY_LENGTH
from dofpilot.corpus.search.query import question_terms
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.acronyms import spelled_out
from dofpilot.corpus.text.analysis import WORD, term
from dofpilot.corpus.text.folding import fold_in_place
from dofpilot.corpus.types import Section

SEARCHES = 3

# The accent tells a question word from a relative: «qué» asks, «que» joins.
_ASKING = r"(?:qué|cuál(?:es)?|cuánt[oa]s?|cuándo|quién(?:es)?|cómo|dónde)\b"
_ASK = rf"(?:(?:de|del|desde|en|a|al|hasta|por|con|para|sobre)\s+)?{_ASKING}"
_FACET_BREAK = re.compile(
    rf"[;:?.](?=\s|$)|¿|[,\s]\s{{0,3}}(?:[yoe]\s{{1,3}})?(?:a\s{{1,3}}partir\s{{1,3}})?(?={_ASK})",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"[\s,]*(?:y\s+|o\s+)?(?:a\s+partir\s+)?{_ASK}", re.IGNORECASE)
_QUERY_WORD = re.compile(rf"[^\W_]{{1,40}}(?:[-–/][^\W_]{{1,40}}){{1,8}}|{WORD.pattern}")
_ASKS_FOR_PUBLICATIONS = re.compile(
    r"\b(?:public(?:o|aron|aciones)|sali(?:o|eron)|sac(?:o|aron)|aparecio|aparecieron)\b"
)
_ENUMERATES = re.compile(
    r"\b(?:cuáles|quiénes)\b|\bqué\s+(?:otr[oa]s\s+)?\w+[aeo]s\b|\ben qué orden\b", re.IGNORECASE
)
_MEASURES = re.compile(
    r"\bcuant|\bmontos?\b|\bvalor|\bsalario|\bprecio|\btarifa|\btasas?\b|\bporcentaje|\bmultas?\b|\bcuotas?\b"
    r"|\btipos? de cambio|\b(?:inpc|uma|udis?|tiie)\b|\bcantidad|\bcifras?\b|\bpesos\b"
)
_EDITION = re.compile(r"\bedicion\s+(matutina|vespertina|extraordinaria)\b")
_SECTIONS = {"matutina": Section.MAT, "vespertina": Section.VES, "extraordinaria": Section.EXT}


@dataclass(frozen=True, slots=True)
class Period:
    """Publication dates, both inclusive, ISO."""

    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Search:
    query: str
    period: Period | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """``subject`` is the whole question, ``facets`` the parts of it that an answer must speak to.

    ``enumerates``: it asks for a list; ``measures``: for an amount. ``names``: its identifiers and
    figures, as written. ``listing``: the day whose publications it asks for. ``section``: the edition.
    ``defined``: readings of the term to define. ``when``: it asks for a time; ``start``: for the entry into
    force.
    """

    searches: tuple[Search, ...]
    subject: str
    facets: tuple[str, ...]
    compares: bool
    enumerates: bool
    measures: bool
    names: tuple[str, ...]
    defined: tuple[tuple[str, ...], ...]
    when: bool
    start: bool
    listing: Period | None
    section: Section | None
    required: tuple[Requirement, ...]


def plan(question: Question) -> Plan:
    required = requirements(question.text, question.required_hops, question.as_of)
    whole = query_of(question.text, spell_out=True)
    compared = [item.value for item in _of(required, RequirementKind.YEAR, RequirementKind.PLAN)]
    facets = _each(query_of(question.text), compared) or _facets(question.text)
    periods = [
        _period(item.value, question.as_of) for item in _of(required, RequirementKind.PUBLICATION_DATE)
    ]
    asked = _ASKS_FOR_PUBLICATIONS.search(fold_in_place(question.text))
    return Plan(
        searches=_searches(whole, facets, periods, required, question),
        subject=query_of(question.text),
        facets=facets,
        compares=len(compared) > 1,
        enumerates=bool(_ENUMERATES.search(question.text)),
        measures=bool(_MEASURES.search(fold_in_place(question.text))),
        names=_names(question.text),
        defined=asking.term_asked(question.text),
        when=asking.asks_when(question.text),
        start=asking.asks_start(question.text),
        listing=periods[0] if periods and asked else None,
        section=_section(question.text),
        required=required,
    )


def query_of(text: str, *, spell_out: bool = False) -> str:
    """The words that say what a text is about, as written; dates stay whole, for they are searched so."""
    kept = [word for word in _pieces(text) if " " in word or _says_something(word)]
    query = " ".join(dict.fromkeys([*kept, *(spelled_out(text) if spell_out else ())]))
    return query[:QUERY_LENGTH].strip() or text[:QUERY_LENGTH]


def _pieces(text: str) -> Iterator[str]:
    """Full dates and the words between them."""
    place = 0
    for mention in dates.find(fold_in_place(text)):
        if mention.day:
            yield from _QUERY_WORD.findall(text[place : mention.start])
            yield text[mention.start : mention.end]
            place = mention.end
    yield from _QUERY_WORD.findall(text[place:])


def _names(text: str) -> tuple[str, ...]:
    """What a source must repeat letter by letter to speak of the same thing; days of dates do not count."""
    wanted = (FigureKind.ARTICLE, FigureKind.AMOUNT, FigureKind.PERCENTAGE)
    # A numeral, like a norm, is a requirement by itself.
    found = (item for item in scan(text) if item.kind in wanted)
    return tuple(
        text[item.start : item.end]
        for item in found
        if item.kind is not FigureKind.ARTICLE or "." not in item.value
    )


def _says_something(word: str) -> bool:
    return any(map(term, WORD.findall(word))) and term(word) not in question_terms()


def _facets(text: str) -> tuple[str, ...]:
    """Queries of the parts that ask; the whole question when it is but one part.

    What stands before a question, or between two, tells circumstances: it helps to find documents only.
    """
    edges = [0, *(edge for match in _FACET_BREAK.finditer(text) for edge in match.span()), len(text)]
    parts = list(zip(edges[::2], edges[1::2], strict=True))
    asking = [
        _asked_in(text[start:end])
        for start, end in parts
        if _ASKS.match(text, start, end) or text[:start].endswith("¿")
    ]
    found = tuple(dict.fromkeys(query for query in asking if query))
    return found or (query_of(text),)


def _asked_in(part: str) -> str:
    """The part as a query with the gazette's own words for it; empty when it says nothing by itself."""
    if sum(map(_says_something, WORD.findall(part))) < 2:
        return ""
    return f"{query_of(part)} {gazette_words(part)}".strip()[:QUERY_LENGTH]


def _searches(
    whole: str,
    facets: tuple[str, ...],
    periods: list[Period],
    required: tuple[Requirement, ...],
    question: Question,
) -> tuple[Search, ...]:
    each = _each(whole, [item.value for item in _of(required, RequirementKind.YEAR, RequirementKind.PLAN)])
    if each:
        searches = list(map(Search, each))
    elif periods:
        searches = [*(Search(whole, period) for period in periods), Search(whole)]
    else:
        searches = [Search(whole)]
    if question.required_hops > 1:
        searches += [Search(part) for part in (*_by_name(question.text), *facets)]
    return tuple(dict.fromkeys(searches))[:SEARCHES]


def _by_name(text: str) -> list[str]:
    """One query per acronym, when the question sets several beside each other."""
    acronyms = [word for word in dict.fromkeys(WORD.findall(text)) if word.isupper() and spelled_out(word)]
    if len(acronyms) < 2:
        return []
    common = query_of(re.sub(rf"\b(?:{'|'.join(acronyms)})\b", " ", text))
    return [f"{common} {query_of(acronym, spell_out=True)}"[:QUERY_LENGTH] for acronym in acronyms]


def _each(query: str, compared: list[str]) -> tuple[str, ...]:
    """The query once for each compared year or plan, without the others; none when nothing is compared."""
    if len(compared) < 2:
        return ()
    return tuple(
        " ".join(word for word in query.split() if word == kept or word not in compared) for kept in compared
    )


def _period(value: str, as_of: date) -> Period:
    """``2026-01-09`` or ``2026-01``, never past the cut-off."""
    if len(value) == 10:
        return Period(value, value)
    first = date.fromisoformat(f"{value}-01")
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    return Period(first.isoformat(), min(last, as_of).isoformat())


def _section(text: str) -> Section | None:
    named = {_SECTIONS[word] for word in _EDITION.findall(fold_in_place(text))}
    return named.pop() if len(named) == 1 else None


def _of(required: Iterable[Requirement], *kinds: RequirementKind) -> list[Requirement]:
    return [item for item in required if item.kind in kinds]
