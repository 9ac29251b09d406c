"""A parsed query as Tantivy queries: what every passage is scored by, and the boosts, each by its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import tantivy
from tantivy import FieldType, Occur, Query

from dofpilot.corpus.days import day_number
from dofpilot.corpus.search.expansions import Terms
from dofpilot.corpus.search.query import ParsedQuery
from dofpilot.corpus.text.analysis import terms

BASE, RECENT = "base", "recent"

FIELD_WEIGHTS = {"body": 1.0, "title": 0.5, "headings": 0.1}
_PHRASE = 2.0
_LABEL = 3.0
"""For the article itself, ahead of the passages that refer to it."""
_NORM = 6.0
"""For the norm that bears an identifier, ahead of the publications about it."""
_DAY = 6.0
"""For what was published on a day that the query names."""
_DOCUMENT = 12.0
"""For the document whose official code the query gives: nothing else bears it."""
_DEFINITION = 4.0
_EXPANSION = 0.6
_CORRECTION = 0.8
_RECENT = 0.75
_RECENT_YEARS = (1, 3, 6, 12)
"""A publication gets ``_RECENT`` for each of these ages that it has not reached."""

_DEFINING = frozenset(
    terms("se entiende, se entenderá, definición, definiciones, define, concepto, glosario")
)


class Scoring:
    """Makes queries for indexes of one schema."""

    def __init__(self, schema: tantivy.Schema) -> None:
        self._schema = schema

    def parts(
        self, query: ParsedQuery, corrected: Sequence[str] = (), recent_from: date | None = None
    ) -> dict[str, list[Query]]:
        """Clauses of the base and of every boost that this query may give, in one flat list each.

        A hit's score is the sum of all that match it. Flat, since Tantivy skips what cannot come first only
        where the clauses of terms are not nested.

        ``corrected`` are terms searched beside mistyped ones; ``recent_from`` is the day that ages are
        counted from, ``None`` for no preference.
        """
        clauses = {
            BASE: self._everywhere([(term,) for term in query.terms], 1.0),
            "corrections": self._everywhere([(term,) for term in corrected], _CORRECTION),
            # A phrase is scored by the sum of its words, and here it stands for one.
            "synonyms": [
                clause
                for words in query.expansions
                for clause in self._fields(words, _EXPANSION / len(words))
            ],
            "phrases": self._everywhere(query.phrases, _PHRASE),
            "norm": [self._field("title", words, _NORM) for words in query.titles],
            "labels": [self._field("headings", (label,), _LABEL) for label in query.labels],
            "document": [self._document(code) for code in query.codes],
            "dates": [self._published(day) for day in query.days],
            "definition": [self._defining(query.terms)] if query.definition else [],
            RECENT: list(self._recent(recent_from)) if recent_from else [],
        }
        return {name: queries for name, queries in clauses.items() if queries}

    def days(self, first: int | None, last: int | None) -> Query:
        return Query.range_query(self._schema, "day", FieldType.Integer, first, last)

    def _everywhere(self, phrases: Iterable[Terms], weight: float) -> list[Query]:
        return [clause for words in phrases for clause in self._fields(words, weight)]

    def _fields(self, words: Terms, weight: float) -> list[Query]:
        return [self._field(field, words, weight * share) for field, share in FIELD_WEIGHTS.items()]

    def _field(self, field: str, words: Terms, weight: float) -> Query:
        if len(words) == 1:
            query = Query.term_query(self._schema, field, words[0], "freq")
        else:
            query = Query.phrase_query(self._schema, field, list(words))
        return Query.boost_query(query, weight)

    def _document(self, code: int) -> Query:
        return Query.const_score_query(Query.term_query(self._schema, "document_id", code), _DOCUMENT)

    def _published(self, day: date) -> Query:
        return Query.const_score_query(self.days(day_number(day), day_number(day)), _DAY)

    def _defining(self, content: Terms) -> Query:
        """All the words asked about, beside one that defines."""
        marks = any_of(Query.term_query(self._schema, "body", mark, "freq") for mark in sorted(_DEFINING))
        asked = [Query.term_query(self._schema, "body", word, "freq") for word in content]
        together = Query.boolean_query([(Occur.Must, part) for part in [marks, *asked]])
        return Query.const_score_query(together, _DEFINITION)

    def _recent(self, newest: date) -> Iterator[Query]:
        for years in _RECENT_YEARS:
            first = date.fromordinal(max(1, newest.toordinal() - 365 * years))
            since = self.days(day_number(first), None)
            yield Query.const_score_query(since, _RECENT)


def any_of(queries: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Should, query) for query in queries])
