"""The gazette as the rest of dofpilot sees it: open a corpus, search it, read it. Never writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Self

from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError, InvalidRequest
from dofpilot.corpus.files import check_sizes
from dofpilot.corpus.manifest import Manifest, read_manifest
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT, LARGEST_ID
from dofpilot.corpus.search.institutions import name_alternatives
from dofpilot.corpus.search.lexical import LexicalIndex, Limits
from dofpilot.corpus.search.query import parse
from dofpilot.corpus.search.ranking import Ranked, Ranker, Search
from dofpilot.corpus.search.semantic import OpenedVectors, open_vectors
from dofpilot.corpus.search.snippets import Snippets
from dofpilot.corpus.store import Store
from dofpilot.corpus.types import (
    DocumentHit,
    EvidenceHit,
    Filters,
    Found,
    Outline,
    OutlineEntry,
    Passage,
    Publication,
    Strategy,
    VectorState,
)
from dofpilot.corpus.vectors.embedding import Embedder

MOST_HITS = 100
MOST_PUBLICATIONS = 500
MOST_IDS = 200
MOST_NEIGHBORS = 5
_NO_LIMITS = Filters()


class Corpus:
    """Any thread may call any operation. Open it after a fork, not before."""

    def __init__(
        self, manifest: Manifest, store: Store, lexical: LexicalIndex, vectors: OpenedVectors | None = None
    ) -> None:
        self._manifest = manifest
        self._store = store
        self._vectors = vectors.state if vectors else None
        self._opened: Ranker | None = Ranker(lexical, vectors.semantic if vectors else None)

    @classmethod
    def open(cls, path: Path | str, embedder: Embedder | None = None) -> Self:
        """Raise ``CorpusUnavailable`` naming what is missing, damaged or from another build.

        ``embedder`` makes the vectors of questions. Vectors that cannot be used cost their strategies and no
        more: ``vectors.unusable`` tells why.
        """
        directory = Path(path)
        manifest = read_manifest(directory)
        check_sizes(directory, manifest)
        lexical = LexicalIndex(directory)
        if len(lexical) != manifest.lexical.chunks or not manifest.lexical_complete:
            raise CorpusUnavailable(f"el índice léxico tiene {len(lexical)} de {manifest.chunks} pasajes")
        with ExitStack() as undoing:
            store = undoing.enter_context(closing(Store(directory)))
            if not store.belongs_to(manifest.fingerprint):
                raise CorpusUnavailable("«corpus.sqlite» está dañado o no es el de «manifest.json»")
            corpus = cls(manifest, store, lexical, open_vectors(directory, manifest, embedder))
            undoing.pop_all()
        return corpus

    @property
    def manifest(self) -> Manifest:
        return self._manifest

    @property
    def strategies(self) -> frozenset[Strategy]:
        return self._ranker.strategies

    @property
    def vectors(self) -> VectorState | None:
        """``None`` where nobody has made any."""
        return self._vectors

    def close(self) -> None:
        """Release the database at once, and the files of the indexes with the last search that uses them.

        Every operation raises ``CorpusUnavailable`` afterwards.
        """
        self._store.close()
        self._opened = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def list_publications(
        self, filters: Filters, limit: int = 50, institution: str | None = None
    ) -> tuple[tuple[Publication, ...], int]:
        """Publications by date, edition and number, and how many match in all."""
        _check_filters(filters)
        _check_range("limit", limit, 1, MOST_PUBLICATIONS)
        organs = () if institution is None else name_alternatives(institution)
        return self._store.select(filters, organs, limit)

    def search_documents(
        self,
        query: str,
        filters: Filters = _NO_LIMITS,
        limit: int = 10,
        strategy: Strategy = Strategy.LEXICAL,
        *,
        prefer_recent: bool = False,
    ) -> Found[DocumentHit]:
        """Distinct documents, each with the chunk that matched best."""
        search = self._search(query, Limits(filters), limit, strategy, prefer_recent)
        ranked = self._ranker.documents(search)
        hits = (
            DocumentHit(hit.publication, hit.score, hit.chunk_id, hit.heading_path, hit.snippet)
            for hit in self._present(ranked)
        )
        return Found(tuple(hits), ranked.retrieval)

    def search_evidence(
        self,
        query: str,
        document_ids: Sequence[int],
        filters: Filters = _NO_LIMITS,
        limit: int = 10,
        strategy: Strategy = Strategy.LEXICAL,
        *,
        prefer_recent: bool = False,
    ) -> Found[EvidenceHit]:
        """Chunks of the given documents; at least one document, all of them known."""
        _check_ids("document_ids", document_ids)
        limits = Limits(filters, within=document_ids)
        search = self._search(query, limits, limit, strategy, prefer_recent)
        self._known("document_ids", document_ids)
        return self._passages(search)

    def search_passages(
        self,
        query: str,
        filters: Filters = _NO_LIMITS,
        limit: int = 10,
        strategy: Strategy = Strategy.LEXICAL,
        *,
        prefer_recent: bool = False,
    ) -> Found[EvidenceHit]:
        """Chunks of the whole corpus, for evaluation and inspection."""
        return self._passages(self._search(query, Limits(filters), limit, strategy, prefer_recent))

    def get_document_outline(self, document_id: int) -> Outline:
        """Headings in order; neighbouring chunks under one heading are one entry."""
        publication = self.publication(document_id)
        passages = self._store.document_passages(document_id)
        runs = [list(run) for _, run in groupby(passages, key=lambda passage: passage.heading_path)]
        entries = [OutlineEntry(run[0].heading_path, run[0].chunk_id, run[-1].chunk_id) for run in runs]
        return Outline(publication, tuple(entries))

    def publication(self, document_id: int) -> Publication:
        _check_ids("document_id", [document_id])
        return self._known("document_id", [document_id])[document_id]

    def read_chunks(self, chunk_ids: Sequence[int], neighbor_window: int = 0) -> tuple[Passage, ...]:
        """Verified passages in the order asked, each with its neighbours around it, none twice.

        Raises ``IntegrityError`` when one does not match its hash; then none is served.
        """
        _check_ids("chunk_ids", chunk_ids)
        _check_range("neighbor_window", neighbor_window, 0, MOST_NEIGHBORS)
        wanted = [near for chunk_id in chunk_ids for near in _around(chunk_id, neighbor_window)]
        rows = self._store.chunks(wanted)
        for chunk_id in chunk_ids:
            if chunk_id not in rows:
                raise InvalidRequest("chunk_ids", f"no existe el pasaje {chunk_id}")
        return tuple(self._store.passages([rows[near] for near in dict.fromkeys(wanted) if near in rows]))

    def document_text(self, document_id: int) -> str:
        """The whole text as in the source file, verified against its hash."""
        self.publication(document_id)
        return self._store.whole_text(document_id)

    @property
    def _ranker(self) -> Ranker:
        if self._opened is None:
            raise CorpusUnavailable("el acervo está cerrado")
        return self._opened

    def _search(
        self, query: str, limits: Limits, limit: int, strategy: Strategy, prefer_recent: bool
    ) -> Search:
        if strategy not in self.strategies:
            raise InvalidRequest("strategy", f"este acervo no ofrece «{strategy}»")
        _check_filters(limits.filters)
        _check_range("limit", limit, 1, MOST_HITS)
        newest = self._manifest.date_max
        # Ages count from the last day that the asker may know of.
        recent_from = min(newest, limits.filters.as_of or newest) if prefer_recent else None
        needed = replace(limits, filters=self._needed(limits.filters))
        return Search(query, parse(query), needed, limit, strategy, recent_from)

    def _needed(self, filters: Filters) -> Filters:
        """Without the limits that leave out nothing of this corpus: each costs as much as a term."""
        first, last = self._manifest.date_min, self._manifest.date_max
        return replace(
            filters,
            as_of=filters.as_of if filters.as_of and filters.as_of < last else None,
            date_to=filters.date_to if filters.date_to and filters.date_to < last else None,
            date_from=filters.date_from if filters.date_from and filters.date_from > first else None,
        )

    def _passages(self, search: Search) -> Found[EvidenceHit]:
        ranked = self._ranker.passages(search)
        return Found(tuple(self._present(ranked)), ranked.retrieval)

    def _known(self, field: str, document_ids: Sequence[int]) -> dict[int, Publication]:
        found = self._store.publications(document_ids)
        for document_id in document_ids:
            if document_id not in found:
                raise InvalidRequest(field, f"no existe el documento {document_id}")
        return found

    def _present(self, ranked: Ranked) -> Iterator[EvidenceHit]:
        rows = self._store.chunks(hit.chunk_id for hit in ranked.hits)
        if len(rows) < len(ranked.hits):
            raise IntegrityError("el índice léxico nombra pasajes que no existen")
        passages = self._store.passages([rows[hit.chunk_id] for hit in ranked.hits])
        snippets = Snippets(ranked.retrieval.terms)
        for passage, hit in zip(passages, ranked.hits, strict=True):
            shown = snippets.of(passage.text)
            yield EvidenceHit(passage.chunk_id, passage.publication, passage.heading_path, shown, hit.score)


def _around(chunk_id: int, window: int) -> range:
    """Ids of the neighbours inside the same document; those past its end do not exist."""
    index = chunk_id % CHUNKS_PER_DOCUMENT
    return range(chunk_id - min(window, index), chunk_id + min(window, CHUNKS_PER_DOCUMENT - 1 - index) + 1)


def _check_filters(filters: Filters) -> None:
    if filters.date_from and filters.date_to and filters.date_from > filters.date_to:
        raise InvalidRequest("date_from", f"{filters.date_from} es posterior a date_to, {filters.date_to}")


def _check_range(field: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise InvalidRequest(field, f"debe estar entre {least} y {most}")


def _check_ids(field: str, ids: Sequence[int]) -> None:
    if not 1 <= len(ids) <= MOST_IDS:
        raise InvalidRequest(field, f"debe tener entre 1 y {MOST_IDS} elementos")
    for value in ids:
        if not 0 < value < LARGEST_ID:
            raise InvalidRequest(field, f"{value} no es un identificador")
