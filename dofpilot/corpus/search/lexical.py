"""Read side of the full-text index: a query and its limits in, scored chunks out."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp

import tantivy
from tantivy import Occur, Query

from dofpilot.corpus.days import day_number
from dofpilot.corpus.errors import CorpusUnavailable
from dofpilot.corpus.files import LEXICAL
from dofpilot.corpus.names import document_of
from dofpilot.corpus.search.fields import failing_as
from dofpilot.corpus.search.query import ParsedQuery
from dofpilot.corpus.search.scoring import BASE, RECENT, Scoring, any_of
from dofpilot.corpus.search.typos import correction, is_strange
from dofpilot.corpus.text import analysis
from dofpilot.corpus.types import Filters, Score

_SPARE = 32
"""Hits fetched beyond the limit, so that ties at its edge are seen whole."""
_TIED = 500
"""More hits fetched when those tie too. Beyond, the order is the index's own: the same at every search."""
_DIGITS = 4
"""Decimals of a score. What differs further on is the order of additions, which segments decide."""
_MOST_CORRECTED = 4
"""Words of one query: each takes about a thousand lookups."""
_REMEMBERED = 10_000
"""Words whose corrections are kept."""
_REMOVALS = 5


@dataclass(frozen=True, slots=True)
class ChunkHit:
    chunk_id: int
    score: Score

    @property
    def document_id(self) -> int:
        return document_of(self.chunk_id)


@dataclass(frozen=True, slots=True)
class Plan:
    """A query made ready for one index. ``corrections`` are (word as typed, word searched as well)."""

    query: ParsedQuery
    parts: dict[str, list[Query]]
    corrections: tuple[tuple[str, str], ...] = ()

    @property
    def every(self) -> Query:
        found = any_of(clause for name, part in self.parts.items() if name != RECENT for clause in part)
        if RECENT not in self.parts:
            return found
        # What is only recent matches nothing.
        return Query.boolean_query([(Occur.Must, found), (Occur.Should, any_of(self.parts[RECENT]))])

    @property
    def shown(self) -> frozenset[str]:
        """Terms that a snippet may show as the reason for a hit."""
        return self.query.shown.union(analysis.term(meant) for _, meant in self.corrections)


@dataclass(frozen=True, slots=True)
class Limits:
    """Documents to stay inside of or to leave out, beside the filters."""

    filters: Filters = field(default_factory=Filters)
    within: Sequence[int] = ()
    without: Sequence[int] = ()


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


def _frequency(searcher: tantivy.Searcher, term: str) -> int:
    return int(searcher.doc_freq("body", term)) if term else 0


def _corrector(searcher: tantivy.Searcher) -> Callable[[str], str | None]:
    """Remembers what it found, and knows no ``LexicalIndex``.

    One that referred to itself would keep its files mapped until the cyclic garbage collector comes.
    """
    frequency = partial(_frequency, searcher)
    return lru_cache(maxsize=_REMEMBERED)(lambda word: correction(word, frequency))


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
        self._scoring = Scoring(self._schema)
        self._correction = _corrector(self._searcher)

    def __len__(self) -> int:
        return self._searcher.num_docs

    def plan(self, query: ParsedQuery, recent_from: date | None = None) -> Plan:
        """Raise ``CorpusUnavailable`` where the index turns out to be damaged."""
        with self._translated():
            corrections = tuple(self._corrections(query))
            corrected = [analysis.term(meant) for _, meant in corrections]
            return Plan(query, self._scoring.parts(query, corrected, recent_from), corrections)

    def search(self, plan: Plan, limits: Limits, limit: int) -> list[ChunkHit]:
        """Best chunks first, equal scores by ``chunk_id``; raise ``CorpusUnavailable`` for damage."""
        return self.explained(plan, self.rank(plan, limits, limit))

    def rank(self, plan: Plan, limits: Limits, limit: int) -> list[tuple[int, float]]:
        """Chunk ids and totals of the same hits; what the totals are made of takes longer to tell."""
        with self._translated():
            return self._best(self._restrict(plan.every, limits), limit)

    def explained(self, plan: Plan, totals: Sequence[tuple[int, float]]) -> list[ChunkHit]:
        """Each boost is asked for once more, for these chunks alone; the base is what is left."""
        ids = [chunk_id for chunk_id, _ in totals]
        with self._translated():
            boosts = {name: self._of(any_of(part), ids) for name, part in plan.parts.items() if name != BASE}
        hits = []
        for chunk_id, total in totals:
            own = {name: given[chunk_id] for name, given in boosts.items() if chunk_id in given}
            hits.append(ChunkHit(chunk_id, Score(round(total - sum(own.values()), _DIGITS), own)))
        return hits

    def scores(self, plan: Plan, chunk_ids: Sequence[int]) -> dict[int, Score]:
        """Scores of those among the given chunks that match at all."""
        with self._translated():
            totals = self._of(plan.every, chunk_ids)
        return {hit.chunk_id: hit.score for hit in self.explained(plan, list(totals.items()))}

    def frequency(self, term: str) -> int:
        """How many chunks hold a term in their text."""
        with self._translated():
            return self._frequency(term)

    def _translated(self) -> AbstractContextManager[None]:
        return failing_as(CorpusUnavailable, self._failures)

    def _frequency(self, term: str) -> int:
        return _frequency(self._searcher, term)

    def _corrections(self, query: ParsedQuery) -> Iterator[tuple[str, str]]:
        strange = (word.folded for word in query.words if is_strange(word.folded, self._frequency))
        for typed in islice(strange, _MOST_CORRECTED):
            if meant := self._correction(typed):
                yield typed, meant

    def _best(self, query: Query, limit: int) -> list[tuple[int, float]]:
        """Chunk ids and scores of the ``limit`` best, ties by id."""
        wanted = limit + _SPARE
        found = self._searcher.search(query, wanted, count=False).hits
        if len(found) == wanted and round(found[-1][0], _DIGITS) == round(found[limit - 1][0], _DIGITS):
            # All beyond the limit tie with its last: which of them come first is not Tantivy's to say.
            found = self._searcher.search(query, wanted + _TIED, count=False).hits
        return sorted(self._identified(found), key=lambda hit: (-hit[1], hit[0]))[:limit]

    def _identified(self, found: list[tuple[float, tantivy.DocAddress]]) -> list[tuple[int, float]]:
        ids = self._searcher.fast_field_values("chunk_id", [address for _, address in found])
        return [
            (int(value or 0), round(score, _DIGITS)) for value, (score, _) in zip(ids, found, strict=True)
        ]

    def _of(self, query: Query, chunk_ids: Sequence[int]) -> dict[int, float]:
        if not chunk_ids:
            return {}
        these = Query.const_score_query(Query.term_set_query(self._schema, "chunk_id", list(chunk_ids)), 0.0)
        both = Query.boolean_query([(Occur.Must, query), (Occur.Must, these)])
        return dict(self._identified(self._searcher.search(both, len(chunk_ids), count=False).hits))

    def _restrict(self, scored: Query, limits: Limits) -> Query:
        """Limits decide what matches and leave the scores alone."""
        clauses = [
            (Occur.Must, Query.const_score_query(limit, 0.0)) for limit in self._filters(limits.filters)
        ]
        if inside := list(limits.within):
            documents = Query.term_set_query(self._schema, "document_id", inside)
            clauses.append((Occur.Must, Query.const_score_query(documents, 0.0)))
        if outside := list(limits.without):
            clauses.append((Occur.MustNot, Query.term_set_query(self._schema, "document_id", outside)))
        # Alone, a flat query of terms is searched much faster than inside of another.
        return Query.boolean_query([(Occur.Must, scored), *clauses]) if clauses else scored

    def _filters(self, filters: Filters) -> Iterable[Query]:
        ends = [day_number(day) for day in (filters.as_of, filters.date_to) if day]
        if filters.date_from or ends:
            first = day_number(filters.date_from) if filters.date_from else None
            yield self._scoring.days(first, min(ends, default=None))
        if filters.section:
            yield Query.term_query(self._schema, "section", filters.section.value, "basic")
