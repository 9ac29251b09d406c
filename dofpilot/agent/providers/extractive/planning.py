"""From a question to a fixed plan of searches. Everything follows from its words: no index is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from dofpilot.agent.conversation import Question
from dofpilot.agent.coverage import requirements
from dofpilot.agent.figures.mentions import Mention, scan
from dofpilot.agent.outcome import FigureKind, Requirement, RequirementKind
from dofpilot.agent.providers.extractive.asking import Asked, Form, asked
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
_BEFORE = ("de", "del", "desde", "en", "a", "al", "hasta", "por", "con", "para", "sobre", "partir", "cada")
_ASK = rf"(?:(?:{'|'.join(_BEFORE)})\s+)?{_ASKING}"
_NO_BREAK = "".join(rf"(?<!\b{word})" for word in _BEFORE)
_FACET_BREAK = re.compile(
    rf"[;:?.](?=\s|$)|¿|{_NO_BREAK}[,\s]\s{{0,3}}(?:[yoe]\s{{1,3}})?(?:a\s{{1,3}}partir\s{{1,3}})?(?={_ASK})",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"[\s,]*(?:y\s+|o\s+)?(?:a\s+partir\s+)?{_ASK}", re.IGNORECASE)
_QUERY_WORD = re.compile(rf"[^\W_]{{1,40}}(?:[-–/][^\W_]{{1,40}}){{1,8}}|{WORD.pattern}")
_ASKS_FOR_PUBLICATIONS = re.compile(
    r"\b(?:public(?:o|aron|aciones)|sali(?:o|eron)|sac(?:o|aron)|aparecio|aparecieron)\b"
)
_ENUMERATES = re.compile(
    r"\b(?:cuáles|quiénes)\b|\bqué\s+(?:otr[oa]s\s+)?\w+[aeo]s\b|\ben qué orden\b"
    r"|\bqué\s+(?:me\s+|nos\s+|se\s+)?(?:piden?|exigen?|requiere|necesit\w+)\b",
    re.IGNORECASE,
)
# «sin contar los fines de semana»: what is set aside is not what is asked for.
_SET_ASIDE = re.compile(
    r"\b(?:sin (?:contar|incluir|tomar en cuenta)|excepto|salvo|aparte de|además de)\b[^,;:?¿.]*",
    re.IGNORECASE,
)
_RECENT = re.compile(
    r"\bvigentes?\b|\bmas recientes?\b|\bultim[oa]s?\b|\bactual(?:es|mente)?\b|\bhoy\b|\ben vigor\b|\bahora\b"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_MEASURED = frozenset({FigureKind.AMOUNT, FigureKind.PERCENTAGE})
_STARTING = re.compile(r"\ba partir de\b", re.IGNORECASE)
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
class Facet:
    """A part that an answer must speak to: ``words`` say it, ``query`` also says it in the gazette's own
    way, ``asked`` is the form that its answer must have."""

    words: str
    query: str
    asked: Asked


@dataclass(frozen=True, slots=True)
class Plan:
    """``subject`` is the whole question. ``enumerates``: it asks for a list. ``articles``: those that it
    names, as written, by the normal form of figures; ``amounts``: they and percentages, as written.
    ``recent``: it asks for what is in force or latest, and names no year. ``listing``: the day whose
    publications it asks for. ``section``: the edition.
    """

    searches: tuple[Search, ...]
    subject: str
    facets: tuple[Facet, ...]
    compares: bool
    enumerates: bool
    articles: dict[str, str]
    amounts: tuple[str, ...]
    recent: bool
    listing: Period | None
    section: Section | None
    required: tuple[Requirement, ...]


def plan(question: Question) -> Plan:
    text = question.text
    required = requirements(text, question.required_hops, question.as_of)
    compared = [item.value for item in _of(required, RequirementKind.YEAR, RequirementKind.PLAN)]
    days = _of(required, RequirementKind.PUBLICATION_DATE)
    periods = [_period(item.value, question.as_of) for item in days]
    facets = _compared_facets(text, compared) or _facets(text)
    return Plan(
        searches=_searches(facets, periods, compared, question),
        subject=query_of(_SET_ASIDE.sub(" ", text)),
        facets=facets,
        compares=len(compared) > 1,
        enumerates=bool(_ENUMERATES.search(text)),
        articles=_articles(text),
        amounts=_amounts(text),
        recent=bool(_RECENT.search(fold_in_place(text))) and not _YEAR.search(text),
        listing=periods[0] if periods and _ASKS_FOR_PUBLICATIONS.search(fold_in_place(text)) else None,
        section=_section(text),
        required=required,
    )


def _articles(text: str) -> dict[str, str]:
    return {item.value: text[item.start : item.end] for item in scan(text) if _is_article(item)}


def _amounts(text: str) -> tuple[str, ...]:
    return tuple(text[item.start : item.end] for item in scan(text) if item.kind in _MEASURED)


def query_of(text: str, *, spell_out: bool = False) -> str:
    """The words that say what a text is about, as written; dates stay whole, for they are searched so."""
    # «A partir de» would look for parts.
    text = _STARTING.sub(" ", text)
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


def _is_article(mention: Mention) -> bool:
    # A numeral, like a norm, is a requirement by itself.
    return mention.kind is FigureKind.ARTICLE and "." not in mention.value


def _says_something(word: str) -> bool:
    return any(map(term, WORD.findall(word))) and term(word) not in question_terms()


def _compared_facets(text: str, compared: list[str]) -> tuple[Facet, ...]:
    return tuple(Facet(part, part, asked(text)) for part in _each(query_of(text), compared))


def _facets(text: str) -> tuple[Facet, ...]:
    """The parts that ask; the whole question when it is but one part.

    What stands before a question, or between two, tells circumstances: it helps to find documents only.
    """
    found: list[Facet] = []
    begun = ""
    for part in _parts_that_ask(text):
        if _says_enough(part):
            found.append(_facet(f"{begun} {part}".strip()))
            begun = ""
        elif found:
            found[-1:] = _asking_more(found[-1], asked(part))
        else:
            # «¿de cuánto a cuánto va la multa?»: it goes on with the next.
            begun = part
    return tuple(dict.fromkeys(found)) or (Facet(query_of(text), query_of(text), asked(text)),)


def _asking_more(facet: Facet, form: Asked) -> list[Facet]:
    """«¿lo menos que puede durar la garantía cuánto es y desde cuándo corre?»: only the form is new."""
    if facet.asked.form is Form.ANY:
        return [replace(facet, asked=form)]
    return [facet, *([] if form.form is Form.ANY else [replace(facet, asked=form)])]


def _parts_that_ask(text: str) -> Iterator[str]:
    edges = [0, *(edge for match in _FACET_BREAK.finditer(text) for edge in match.span()), len(text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        if _ASKS.match(text, start, end) or text[:start].endswith("¿"):
            yield text[start:end]


def _says_enough(part: str) -> bool:
    return sum(map(_says_something, WORD.findall(part))) >= 2


def _facet(part: str) -> Facet:
    words = query_of(_SET_ASIDE.sub(" ", part))
    return Facet(words, f"{words} {gazette_words(part)}".strip()[:QUERY_LENGTH], asked(part))


def _searches(
    facets: tuple[Facet, ...], periods: list[Period], compared: list[str], question: Question
) -> tuple[Search, ...]:
    whole = query_of(question.text, spell_out=True)
    if each := _each(whole, compared):
        searches = list(map(Search, each))
    elif periods:
        searches = [*(Search(whole, period) for period in periods), Search(whole)]
    else:
        searches = [Search(whole)]
    if question.required_hops > 1:
        searches += [Search(part) for part in (*_by_name(question.text), *(facet.query for facet in facets))]
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
