"""A gazette of a few documents in memory, with the operations of ``dofpilot.corpus.corpus.Corpus``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from dofpilot.agent.recording.entries import Operation
from dofpilot.agent.recording.operations import OneDoor
from dofpilot.corpus.errors import InvalidRequest
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
    Section,
    Strategy,
)

CHUNKS_PER_DOCUMENT = 100


@dataclass
class FakeDocument:
    publication: Publication
    texts: tuple[str, ...]
    heading_paths: tuple[tuple[str, ...], ...]

    @property
    def document_id(self) -> int:
        return self.publication.document_id

    def chunk_id(self, index: int) -> int:
        return self.document_id * CHUNKS_PER_DOCUMENT + index

    def passage(self, index: int) -> Passage:
        text = self.texts[index]
        return Passage(
            self.chunk_id(index), index, self.publication, self.heading_paths[index], 0, len(text), text
        )


def document(
    document_id: int,
    title: str,
    day: date,
    *texts: str,
    institution: str = "SECRETARÍA DEL TRABAJO",
    headings: Sequence[tuple[str, ...]] | None = None,
) -> FakeDocument:
    path = f"{day:%Y/%m/%d%m%Y}/MAT/001_DOF_{day:%Y%m%d}_MAT_{document_id}.md"
    publication = Publication(document_id, path, title, institution, day, Section.MAT)
    paths = tuple(headings or [(title, f"Parte {index + 1}") for index in range(len(texts))])
    return FakeDocument(publication, texts, paths)


@dataclass
class FakeCorpus(OneDoor):
    """Finds every document whose title or text holds a word of the query, in the order given.

    ``error`` is raised by every operation when set. ``calls`` names the operations carried out,
    ``filters`` are those that they were given. Searches tell of themselves what ``retrievals`` says, one
    after the other, and then that they were done as asked, with words or with all vectors; ``ranked_by``
    holds what was asked. ``recent_first`` tells of each search for documents whether it was to put the most
    recent ones first, as it then does.
    """

    documents: tuple[FakeDocument, ...]
    error: Exception | None = None
    calls: list[str] = field(default_factory=list)
    filters: list[Filters] = field(default_factory=list)
    retrievals: list[Retrieval] = field(default_factory=list)
    ranked_by: list[Strategy] = field(default_factory=list)
    recent_first: list[bool] = field(default_factory=list)

    def carry_out(self, operation: Operation, **arguments: Any) -> Any:
        self._called(operation)
        return getattr(self, f"_{operation}")(**arguments)

    def publication(self, document_id: int) -> Publication:
        return self._document(document_id, "document_id").publication

    def _list_publications(
        self, filters: Filters, limit: int, institution: str | None
    ) -> tuple[tuple[Publication, ...], int]:
        found = [
            item.publication
            for item in self._allowed(filters)
            if institution is None or institution.lower() in item.publication.institution.lower()
        ]
        return tuple(found[:limit]), len(found)

    def _search_documents(
        self, query: str, filters: Filters, limit: int, strategy: Strategy, prefer_recent: bool
    ) -> Found[DocumentHit]:
        self.recent_first.append(prefer_recent)
        if not query.strip("?¿ "):
            raise InvalidRequest("query", "no tiene palabras")
        found = [
            DocumentHit(
                item.publication, Score(1.0), item.chunk_id(index), item.heading_paths[index], text[:80]
            )
            for item in self._allowed(filters)
            for index, text in self._matches(item, query)[:1]
        ]
        if prefer_recent:
            found.sort(key=lambda hit: hit.publication.publication_date, reverse=True)
        return Found(tuple(found[:limit]), self._retrieval(strategy))

    def _search_evidence(
        self, query: str, document_ids: Sequence[int], filters: Filters, limit: int, strategy: Strategy
    ) -> Found[EvidenceHit]:
        found = [
            EvidenceHit(
                item.chunk_id(index), item.publication, item.heading_paths[index], text[:80], Score(1.0)
            )
            for item in self._allowed(filters)
            if item.document_id in document_ids
            for index, text in self._matches(item, query)
        ]
        return Found(tuple(found[:limit]), self._retrieval(strategy))

    def _get_document_outline(self, document_id: int) -> Outline:
        item = self._document(document_id, "document_id")
        entries = tuple(
            OutlineEntry(path, item.chunk_id(index), item.chunk_id(index))
            for index, path in enumerate(item.heading_paths)
        )
        return Outline(item.publication, entries)

    def _read_chunks(self, chunk_ids: Sequence[int], neighbor_window: int) -> tuple[Passage, ...]:
        found: dict[int, Passage] = {}
        for chunk_id in chunk_ids:
            item = self._document(chunk_id // CHUNKS_PER_DOCUMENT, "chunk_ids")
            index = chunk_id % CHUNKS_PER_DOCUMENT
            if index >= len(item.texts):
                raise InvalidRequest("chunk_ids", f"no existe el pasaje {chunk_id}")
            for near in range(index - neighbor_window, index + neighbor_window + 1):
                if 0 <= near < len(item.texts):
                    found.setdefault(item.chunk_id(near), item.passage(near))
        return tuple(found.values())

    def _retrieval(self, strategy: Strategy) -> Retrieval:
        self.ranked_by.append(strategy)
        share = 0.0 if strategy is Strategy.LEXICAL else 1.0
        return (
            self.retrievals.pop(0) if self.retrievals else Retrieval(strategy, strategy, vector_share=share)
        )

    def _called(self, operation: str) -> None:
        self.calls.append(operation)
        if self.error is not None:
            raise self.error

    def _allowed(self, filters: Filters) -> list[FakeDocument]:
        self.filters.append(filters)
        first, last = filters.date_from or date.min, filters.date_to or date.max
        last = min(last, filters.as_of or date.max)
        return [
            item
            for item in self.documents
            if first <= item.publication.publication_date <= last
            and filters.section in (None, item.publication.section)
        ]

    def _matches(self, item: FakeDocument, query: str) -> list[tuple[int, str]]:
        words = query.lower().split()
        title = item.publication.title.lower()
        return [
            (index, text)
            for index, text in enumerate(item.texts)
            if any(word in text.lower() or word in title for word in words)
        ]

    def _document(self, document_id: int, named: str) -> FakeDocument:
        for item in self.documents:
            if item.document_id == document_id:
                return item
        raise InvalidRequest(named, f"no existe el documento {document_id}")


WAGES_2025 = document(
    5745,
    "RESOLUCIÓN que fija los salarios mínimos que rigen en 2025",
    date(2024, 12, 19),
    "PRIMERO. En 2025 el salario mínimo general es de 278.80 pesos diarios.",
    "SEGUNDO. La resolución entra en vigor el 1o. de enero de 2025.",
    "TERCERO. Publíquese en el Diario Oficial de la Federación.",
)
WAGES_2026 = document(
    5775,
    "RESOLUCIÓN que fija los salarios mínimos que rigen en 2026",
    date(2025, 12, 9),
    "PRIMERO. En 2026 el salario mínimo general es de 315.04 pesos diarios.",
    "SEGUNDO. La resolución entra en vigor el 1o. de enero de 2026.",
)
LATER = document(
    5799, "AVISO sobre salarios mínimos", date(2026, 6, 1), "El salario mínimo se revisará en 2027."
)


def gazette(*more: FakeDocument) -> FakeCorpus:
    return FakeCorpus((WAGES_2025, WAGES_2026, LATER, *more))
