"""What people type, read as terms and phrases. None of it can become query syntax: there is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.analysis import WORD, term, terms
from dofpilot.corpus.text.dates import DateMention
from dofpilot.corpus.text.folding import fold, fold_in_place
from dofpilot.corpus.text.wordlists import words

LONGEST_QUERY = 10_000
_MOST_TERMS = 64
_MOST_PHRASES = 16

QUESTION_WORDS = words("question_words")

_IDENTIFIER = re.compile(r"(?=[^\s]{0,80}[0-9])[^\W_]{1,40}(?:[-–/][^\W_]{1,40}){1,8}")
_ARTICLE = re.compile(r"\bart(?:[íi]culo|\.)?s?\s{1,3}([0-9]{1,4}(?:[-–][a-z]\b)?)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“”«]([^\"“”«»]{3,200})[\"“”»]")
_NORM_TITLE = tuple(terms("Norma Oficial Mexicana"))


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """``terms`` are distinct; each phrase is terms that must follow one another to count.

    ``titles`` are phrases that only the title of a norm asked for holds, ``articles`` the numbers of
    articles, ``days`` the dates named in any spelling.
    """

    terms: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]
    titles: tuple[tuple[str, ...], ...]
    articles: tuple[str, ...]
    days: tuple[date, ...]


def parse(query: str) -> ParsedQuery:
    """Raise ``InvalidRequest`` (field ``query``) when there is nothing to look for."""
    if len(query) > LONGEST_QUERY:
        raise InvalidRequest("query", f"tiene más de {LONGEST_QUERY} caracteres")
    if not query.strip():
        raise InvalidRequest("query", "está vacía")
    named = dates.find(fold_in_place(query))
    found = _content(_in_words(query, named))
    if not found:
        raise InvalidRequest("query", "no contiene ninguna palabra que buscar")
    days = tuple(dict.fromkeys(mention.day for mention in named if mention.day))
    articles = tuple(dict.fromkeys(term(match[1]) for match in _ARTICLE.finditer(query)))
    phrases = _phrases(query, articles, days)[:_MOST_PHRASES]
    titles = tuple(_NORM_TITLE + phrase for phrase in phrases if phrase[0] == "nom")
    return ParsedQuery(found[:_MOST_TERMS], phrases, titles, articles[:_MOST_PHRASES], days[:_MOST_PHRASES])


def _content(query: str) -> tuple[str, ...]:
    """Distinct terms without the words of asking, unless there are no others."""
    spoken = [word for word in WORD.findall(query) if term(word)]
    content = [word for word in spoken if fold(word) not in QUESTION_WORDS]
    return tuple(dict.fromkeys(map(term, content or spoken)))


def _phrases(query: str, articles: tuple[str, ...], days: tuple[date, ...]) -> tuple[tuple[str, ...], ...]:
    written = [match[0] for match in _IDENTIFIER.finditer(query)]
    written += [match[1] for match in _QUOTED.finditer(query)]
    written += [dates.spelled(day) for day in days]
    written += [f"artículo {article}" for article in articles]
    found = dict.fromkeys(tuple(terms(text)) for text in written)
    return tuple(phrase for phrase in found if len(phrase) > 1)


def _in_words(query: str, named: tuple[DateMention, ...]) -> str:
    """The gazette writes its dates in words: those in digits are looked for so."""
    for mention in reversed(named):
        written = query[mention.start : mention.end]
        if mention.day and not any(map(str.isalpha, written)):
            query = f"{query[: mention.start]}{dates.spelled(mention.day)}{query[mention.end :]}"
    return query
