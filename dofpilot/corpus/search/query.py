"""What people type, read as terms and phrases. None of it can become query syntax: there is none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import NamedTuple

from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.search import references
from dofpilot.corpus.search.expansions import Terms, expansions
from dofpilot.corpus.text import dates
from dofpilot.corpus.text.analysis import WORD, term, terms
from dofpilot.corpus.text.dates import DateMention
from dofpilot.corpus.text.folding import fold, fold_in_place
from dofpilot.corpus.text.wordlists import words

LONGEST_QUERY = 10_000
_MOST_TERMS = 64
_MOST_PHRASES = 16

_QUOTED = re.compile(r"[\"“”«]([^\"“”«»]{3,200})[\"“”»]")
_DEFINITION = re.compile(
    r"\bque (?:es|son|significa|quiere decir|se entiende)\b|\bcomo se define|\bdefinicion(?:es)? de\b"
    r"|\bconcepto de\b"
)
_CODE = re.compile(r"(?<![\w.,$/-])[0-9]{5,9}(?![\w,%/-]|\.[0-9])")
_NORM_TITLE = tuple(terms("Norma Oficial Mexicana"))


class Word(NamedTuple):
    """A word of the query, folded, and its index term."""

    folded: str
    term: str


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """``words`` have distinct terms; each phrase is terms that must follow one another to count.

    ``expansions`` are phrases that say the same in other words. ``titles`` are phrases that only the title
    of a norm asked for holds, ``labels`` the terms of those asked for (``artículo 5``), ``days`` the dates
    named in any spelling, ``codes`` the numbers that may be a document's official code. ``definition`` says
    that the query asks what something is.
    """

    words: tuple[Word, ...]
    expansions: tuple[Terms, ...]
    phrases: tuple[Terms, ...]
    titles: tuple[Terms, ...]
    labels: Terms
    days: tuple[date, ...]
    codes: tuple[int, ...]
    definition: bool

    @property
    def terms(self) -> Terms:
        return tuple(word.term for word in self.words)

    @property
    def shown(self) -> frozenset[str]:
        """Terms that a snippet may show as the reason for a hit."""
        return frozenset(self.terms).union(*self.expansions)


def parse(query: str) -> ParsedQuery:
    """Raise ``InvalidRequest`` (field ``query``) when there is nothing to look for."""
    if len(query) > LONGEST_QUERY:
        raise InvalidRequest("query", f"tiene más de {LONGEST_QUERY} caracteres")
    if not query.strip():
        raise InvalidRequest("query", "está vacía")
    named = dates.find(fold_in_place(query))
    content = _content(_in_words(query, named))
    if not content:
        raise InvalidRequest("query", "no contiene ninguna palabra que buscar")
    days = tuple(dict.fromkeys(mention.day for mention in named if mention.day))[:_MOST_PHRASES]
    phrases = _phrases(query, days)
    own = {word.term for word in content}
    return ParsedQuery(
        words=content[:_MOST_TERMS],
        expansions=_bounded(found for found in expansions(query) if not own.issuperset(found)),
        phrases=phrases,
        titles=tuple(_NORM_TITLE + phrase for phrase in phrases if phrase[0] == "nom"),
        labels=tuple(dict.fromkeys(references.labels(query)))[:_MOST_PHRASES],
        days=days,
        codes=tuple(dict.fromkeys(map(int, _CODE.findall(query))))[:_MOST_PHRASES],
        definition=bool(_DEFINITION.search(fold_in_place(query))),
    )


def _content(query: str) -> tuple[Word, ...]:
    """Distinct terms without the words of asking, unless there are no others."""
    spoken = [Word(fold(word), found) for word in WORD.findall(query) if (found := term(word))]
    content = [word for word in spoken if word.term not in question_terms()]
    return tuple({word.term: word for word in reversed(content or spoken)}.values())[::-1]


@cache
def question_terms() -> frozenset[str]:
    """Terms of the words of asking, which queries leave out and passages keep."""
    return frozenset(map(term, words("question_words")))


def _phrases(query: str, days: tuple[date, ...]) -> tuple[Terms, ...]:
    written = [*references.phrases(query), *(match[1] for match in _QUOTED.finditer(query))]
    written += [dates.spelled(day) for day in days]
    return _bounded(phrase for text in written if len(phrase := tuple(terms(text))) > 1)


def _bounded(found: Iterable[Terms]) -> tuple[Terms, ...]:
    return tuple(dict.fromkeys(phrase for phrase in found if phrase))[:_MOST_PHRASES]


def _in_words(query: str, named: tuple[DateMention, ...]) -> str:
    """The gazette writes its dates in words: those in digits are looked for so."""
    for mention in reversed(named):
        written = query[mention.start : mention.end]
        if mention.day and not any(map(str.isalpha, written)):
            query = f"{query[: mention.start]}{dates.spelled(mention.day)}{query[mention.end :]}"
    return query
