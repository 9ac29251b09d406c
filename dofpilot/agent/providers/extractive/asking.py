"""What kind of answer a question asks for, where its form tells, and which sentences have that form."""

from __future__ import annotations

import re

from dofpilot.corpus.text import dates
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.text.folding import fold_in_place

_ASKS_MEANING = re.compile(
    r"\bque (?:es|son|significan?|se entiende por)\b|\bcomo (?:se )?definen?\b|\bdefinicion de\b"
)
_TERM_END = re.compile(r"[,;?.]|\b(?:segun|conforme|de acuerdo|en|para)\b")
_DEFINITION = re.compile(
    r"\W*(?:(?:\d+(?:\.\d+)*|[ivxlc]{1,7}|[a-z])(?:[.)]?-|[.)])?\s+)?(?:(?:el|la|los|las)\s)?(?P<term>[^:.;]{2,90}?)"
    r"(?::|,?\s(?:es|son|significan?|se entiende)\b)"
)
# The accent tells the question word from a relative.
_ASKS_WHEN = re.compile(r"\bcuándo\b|\bqué (?:fecha|día)\b|\b(?:entr\w+ en|inici\w+ de) vig", re.IGNORECASE)
_ASKS_START = re.compile(
    r"\bvig(?:or|encia|ente)\b|\b(?:a partir|desde) (?:de )?(?:cuando|que (?:fecha|dia))\b"
)
_STARTS = re.compile(
    r"\bentr\w+ en vigor\b|\b(?:empieza|empezara|comienza|comenzara)n? a regir\b|\bsera obligatori[oa]\b"
    r"|\b(?:inicia|iniciara|comienza|comenzara)n? (?:su )?vigencia\b"
)
_TIMED = re.compile(r"\bvig(?:or|encia)\b|\ba partir de|\bplazo|\bregir\b")
_LENGTH_OF_TIME = re.compile(r"\b(?:dias?|mes|meses|anos?)\b")


def term_asked(question: str) -> tuple[tuple[str, ...], ...]:
    """Terms of what the question wants defined, with and without what follows it; none for any other one."""
    folded = fold_in_place(question)
    asks = _ASKS_MEANING.search(folded)
    if asks is None:
        return ()
    rest = folded[asks.end() :]
    end = _TERM_END.search(rest)
    readings = (tuple(terms(rest[: end.start()] if end else rest)), tuple(terms(rest)))
    return tuple(dict.fromkeys(filter(None, readings)))


def defines(text: str, asked: tuple[tuple[str, ...], ...]) -> bool:
    """Whether ``text`` begins with the whole term asked for and says what it is."""
    found = _DEFINITION.match(fold_in_place(text))
    term = tuple(terms(found["term"])) if found else ()
    # «¿Cómo define la ley el teletrabajo?» names the term last.
    return bool(term) and any(term in (reading, reading[-len(term) :]) for reading in asked)


def asks_when(question: str) -> bool:
    return bool(_ASKS_WHEN.search(question))


def asks_start(question: str) -> bool:
    return bool(_ASKS_START.search(fold_in_place(question)))


def tells_when(text: str) -> bool:
    """Whether it ties a beginning or a term to a date or a length of time."""
    folded = fold_in_place(text)
    return bool(_TIMED.search(folded) or _STARTS.search(folded)) and _has_time(folded)


def tells_start(text: str) -> bool:
    """Whether it says when something comes into force."""
    folded = fold_in_place(text)
    return bool(_STARTS.search(folded)) and _has_time(folded)


def _has_time(folded: str) -> bool:
    return bool(_LENGTH_OF_TIME.search(folded)) or any(True for _ in dates.find(folded))
