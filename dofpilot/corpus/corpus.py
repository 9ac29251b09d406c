"""The gazette as the rest of dofpilot sees it: open a corpus, search it, read it. Never writes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Self

from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError, InvalidRequest
from dofpilot.corpus.files import check_sizes
from dofpilot.corpus.manifest import Manifest, read_manifest
from dofpilot.corpus.names import CHUNKS_PER_DOCUMENT, LARGEST_ID
from dofpilot.corpus.search.institutions import name_alternatives
from dofpilot.corpus.search.lexical import LexicalHit, LexicalIndex
from dofpilot.corpus.search.query import ParsedQuery, parse
from dofpilot.corpus.search.snippets import snippet
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
    Retrieval,
    Score,
    Strategy,
)

MOST_HITS = 100
MOST_PUBLICATIONS = 500
MOST_IDS = 200
MOST_NEIGHBORS = 5
_NO_LIMITS = Filters()


class Corpus:
    """Any thread may call any operation. Open it after a fork, not before."""

    def __init__(self, manifest: Manifest, store: Store, lexical: LexicalIndex) -> None:
        self._manifest = manifest
        self._store = store
        self._lexical = lexical

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Raise ``CorpusUnavailable`` naming what is missing, damaged or from another build."""
        directory = Path(path)
        manifest = read_manifest(directory)
        check_sizes(directory, manifest)
        lexical = LexicalIndex(directory)
        if len(lexical) != manifest.lexical.chunks or not manifest.lexical_complete:
            raise CorpusUnavailable(f"el índice léxico tiene {len(lexical)} de {manifest.chunks} pasajes")
        store = Store(directory)
        if not store.belongs_to(manifest.fingerprint):
            store.close()
            raise CorpusUnavailable("«corpus.sqlite» está dañado o no es el de «manifest.json»")
        return cls(manifest, store, lexical)

    @property
    def manifest(self) -> Manifest:
        return self._manifest

    @property
    def strategies(self) -> frozenset[Strategy]:
        return frozenset({Strategy.LEXICAL})

    def close(self) -> None:
        self._store.close()

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
    ) -> Found[DocumentHit]:
        """Distinct documents, each with the chunk that matched best."""
        parsed = self._check_search(query, filters, limit, strategy)
        found: dict[int, LexicalHit] = {}
        more = True
        while more and len(found) < limit:
            wanted = 5 * limit
            hits = self._lexical.search(parsed, filters, wanted, without=list(found))
            if any(hit.document_id in found for hit in hits):
                # Its ids are damaged, and a document that cannot be left out would be found for ever.
                raise IntegrityError("el índice léxico confunde documentos")
            for hit in hits:
                found.setdefault(hit.document_id, hit)
            more = len(hits) == wanted
        best = sorted(found.values(), key=lambda hit: (-hit.score, hit.document_id))[:limit]
        documents = tuple(
            DocumentHit(hit.publication, hit.score, hit.chunk_id, hit.heading_path, hit.snippet)
            for hit in self._present(best, parsed)
        )
        return Found(documents, Retrieval(strategy, strategy))

    def search_evidence(
        self,
        query: str,
        document_ids: Sequence[int],
        filters: Filters = _NO_LIMITS,
        limit: int = 10,
        strategy: Strategy = Strategy.LEXICAL,
    ) -> Found[EvidenceHit]:
        """Chunks of the given documents; at least one document, all of them known."""
        parsed = self._check_search(query, filters, limit, strategy)
        _check_ids("document_ids", document_ids)
        self._known("document_ids", document_ids)
        hits = self._lexical.search(parsed, filters, limit, within=document_ids)
        return Found(tuple(self._present(hits, parsed)), Retrieval(strategy, strategy))

    def search_passages(
        self,
        query: str,
        filters: Filters = _NO_LIMITS,
        limit: int = 10,
        strategy: Strategy = Strategy.LEXICAL,
    ) -> Found[EvidenceHit]:
        """Chunks of the whole corpus, for evaluation and inspection."""
        parsed = self._check_search(query, filters, limit, strategy)
        hits = self._lexical.search(parsed, filters, limit)
        return Found(tuple(self._present(hits, parsed)), Retrieval(strategy, strategy))

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

    def _check_search(self, query: str, filters: Filters, limit: int, strategy: Strategy) -> ParsedQuery:
        if strategy not in self.strategies:
            raise InvalidRequest("strategy", f"este acervo no ofrece «{strategy}»")
        _check_filters(filters)
        _check_range("limit", limit, 1, MOST_HITS)
        return parse(query)

    def _known(self, field: str, document_ids: Sequence[int]) -> dict[int, Publication]:
        found = self._store.publications(document_ids)
        for document_id in document_ids:
            if document_id not in found:
                raise InvalidRequest(field, f"no existe el documento {document_id}")
        return found

    def _present(self, hits: list[LexicalHit], query: ParsedQuery) -> list[EvidenceHit]:
        rows = self._store.chunks(hit.chunk_id for hit in hits)
        if len(rows) < len(hits):
            raise IntegrityError("el índice léxico nombra pasajes que no existen")
        passages = self._store.passages([rows[hit.chunk_id] for hit in hits])
        return [_hit(passage, hit, query) for passage, hit in zip(passages, hits, strict=True)]


def _hit(passage: Passage, hit: LexicalHit, query: ParsedQuery) -> EvidenceHit:
    shown = snippet(passage.text, frozenset(query.terms))
    return EvidenceHit(passage.chunk_id, passage.publication, passage.heading_path, shown, Score(hit.score))


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
