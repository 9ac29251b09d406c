"""Read side of the full-text index: a query and its limits in, scored chunks out."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import tantivy
from tantivy import FieldType, Occur, Query

from dofpilot.corpus.days import day_number
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT
from dofpilot.corpus.search.fields import LEXICAL, failing_as
from dofpilot.corpus.search.query import ParsedQuery
from dofpilot.corpus.text.analysis import terms
from dofpilot.corpus.types import Filters

FIELD_WEIGHTS = {"body": 1.0, "title": 0.5, "headings": 0.1}
_PHRASE_WEIGHT = 2.0
_ARTICLE_WEIGHT = 3.0
"""For the article itself, ahead of the passages that refer to it."""
_NORM_WEIGHT = 6.0
"""For the norm that bears an identifier, ahead of the publications about it."""
_DAY_BONUS = 6.0
"""For what was published on a day that the query names."""

_SPARE = 32
"""Hits fetched beyond the limit, so that ties at its edge are seen whole."""

_REMOVALS = 5
_ARTICLE = terms("artículo")


@dataclass(frozen=True, slots=True)
class LexicalHit:
    chunk_id: int
    score: float

    @property
    def document_id(self) -> int:
        return self.chunk_id // CHUNKS_PER_DOCUMENT


@contextmanager
def _mirror(directory: Path) -> Iterator[str]:
    """Links to an index's files in a directory that lives while the files are opened.

    Tantivy takes a lock beside the index even to read it, and a corpus may be on a read-only disk.
    """
    mirror = Path(mkdtemp(prefix="dofpilot-"))
    try:
        for file in directory.iterdir():
            if file.suffix != ".lock":
                (mirror / file.name).symlink_to(file.resolve())
        yield str(mirror)
    finally:
        # A thread that Tantivy starts on opening may put its lock back between two removals.
        for _ in range(_REMOVALS):
            shutil.rmtree(mirror, ignore_errors=True)


class LexicalIndex:
    """Thread-safe: a searcher is an immutable snapshot."""

    def __init__(self, directory: Path) -> None:
        self._failures = f"no se puede leer el índice «{directory / LEXICAL}»"
        with self._translated(), _mirror(directory / LEXICAL) as mirror:
            index = tantivy.Index.open(mirror)
            # Files never change under a reader, so nothing has to be watched for a reload.
            index.config_reader("manual")
            self._searcher = index.searcher()
            self._schema = index.schema

    def __len__(self) -> int:
        return self._searcher.num_docs

    def search(
        self,
        query: ParsedQuery,
        filters: Filters,
        limit: int,
        *,
        within: Sequence[int] = (),
        without: Sequence[int] = (),
    ) -> list[LexicalHit]:
        """Best chunks first, equal scores by ``chunk_id``.

        ``within`` and ``without`` are document ids to stay inside of or to leave out. Raises
        ``CorpusUnavailable`` where the index turns out to be damaged.
        """
        with self._translated():
            found = self._best(self._restrict(self._score(query), filters, within, without), limit)
        return sorted(found, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]

    def _translated(self) -> AbstractContextManager[None]:
        return failing_as(CorpusUnavailable, self._failures)

    def _best(self, query: Query, limit: int) -> list[LexicalHit]:
        """At least the ``limit`` best, with all that tie with the last of them."""
        wanted = limit + _SPARE
        while True:
            found = self._searcher.search(query, wanted, count=False).hits
            if len(found) < wanted or found[-1][0] < found[limit - 1][0]:
                break
            wanted *= 2
        ids = self._searcher.fast_field_values("chunk_id", [address for _, address in found])
        return [
            LexicalHit(int(value or 0), float(score)) for value, (score, _) in zip(ids, found, strict=True)
        ]

    def _score(self, query: ParsedQuery) -> Query:
        clauses = [self._everywhere([term], 1.0) for term in query.terms]
        clauses += [self._everywhere(phrase, _PHRASE_WEIGHT) for phrase in query.phrases]
        clauses += [self._field("title", title, _NORM_WEIGHT) for title in query.titles]
        clauses += [
            self._field("headings", [*_ARTICLE, number], _ARTICLE_WEIGHT) for number in query.articles
        ]
        days = map(day_number, query.days)
        clauses += [Query.const_score_query(self._days(day, day), _DAY_BONUS) for day in days]
        return Query.boolean_query([(Occur.Should, clause) for clause in clauses])

    def _everywhere(self, words: Sequence[str], weight: float) -> Query:
        fields = [self._field(field, words, weight * share) for field, share in FIELD_WEIGHTS.items()]
        return Query.boolean_query([(Occur.Should, field) for field in fields])

    def _field(self, field: str, words: Sequence[str], weight: float) -> Query:
        if len(words) == 1:
            query = Query.term_query(self._schema, field, words[0], "freq")
        else:
            query = Query.phrase_query(self._schema, field, list(words))
        return Query.boost_query(query, weight)

    def _days(self, first: int | None, last: int | None) -> Query:
        return Query.range_query(self._schema, "day", FieldType.Integer, first, last)

    def _restrict(
        self, scored: Query, filters: Filters, within: Iterable[int], without: Iterable[int]
    ) -> Query:
        """Limits decide what matches and leave the scores alone."""
        clauses = [(Occur.Must, Query.const_score_query(limit, 0.0)) for limit in self._limits(filters)]
        if inside := list(within):
            documents = Query.term_set_query(self._schema, "document_id", inside)
            clauses.append((Occur.Must, Query.const_score_query(documents, 0.0)))
        if outside := list(without):
            clauses.append((Occur.MustNot, Query.term_set_query(self._schema, "document_id", outside)))
        return Query.boolean_query([(Occur.Must, scored), *clauses])

    def _limits(self, filters: Filters) -> list[Query]:
        limits = []
        ends = [day_number(day) for day in (filters.as_of, filters.date_to) if day]
        if filters.date_from or ends:
            limits.append(
                self._days(
                    day_number(filters.date_from) if filters.date_from else None, min(ends, default=None)
                )
            )
        if filters.section:
            limits.append(Query.term_query(self._schema, "section", filters.section.value, "basic"))
        return limits
