"""The operations of a reader through one door, for a reader that does the same with each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from dofpilot.agent.recording.entries import Operation
from dofpilot.corpus.types import (
    DocumentHit,
    EvidenceHit,
    Filters,
    Found,
    Outline,
    Passage,
    Publication,
    Strategy,
)

RETURNS: dict[Operation, Any] = {
    Operation.LIST_PUBLICATIONS: tuple[tuple[Publication, ...], int],
    Operation.SEARCH_DOCUMENTS: Found[DocumentHit],
    Operation.SEARCH_EVIDENCE: Found[EvidenceHit],
    Operation.GET_DOCUMENT_OUTLINE: Outline,
    Operation.READ_CHUNKS: tuple[Passage, ...],
}
"""What each gives back, as ``render.trace.restored`` takes it."""


class OneDoor(ABC):
    """A ``Reader`` whose operations all go through ``carry_out``, with each argument by name."""

    @abstractmethod
    def carry_out(self, operation: Operation, **arguments: Any) -> Any:
        """What the operation returns (``RETURNS``), or the error that it raises."""

    def list_publications(
        self, filters: Filters, limit: int = 50, institution: str | None = None
    ) -> tuple[tuple[Publication, ...], int]:
        listed: tuple[tuple[Publication, ...], int] = self.carry_out(
            Operation.LIST_PUBLICATIONS, filters=filters, limit=limit, institution=institution
        )
        return listed

    def search_documents(
        self,
        query: str,
        filters: Filters,
        limit: int = 10,
        strategy: Strategy = Strategy.LEXICAL,
        *,
        prefer_recent: bool = False,
    ) -> Found[DocumentHit]:
        found: Found[DocumentHit] = self.carry_out(
            Operation.SEARCH_DOCUMENTS,
            query=query,
            filters=filters,
            limit=limit,
            strategy=strategy,
            prefer_recent=prefer_recent,
        )
        return found

    def search_evidence(
        self,
        query: str,
        document_ids: Sequence[int],
        filters: Filters,
        limit: int = 10,
        strategy: Strategy = Strategy.LEXICAL,
    ) -> Found[EvidenceHit]:
        found: Found[EvidenceHit] = self.carry_out(
            Operation.SEARCH_EVIDENCE,
            query=query,
            document_ids=document_ids,
            filters=filters,
            limit=limit,
            strategy=strategy,
        )
        return found

    def get_document_outline(self, document_id: int) -> Outline:
        outline: Outline = self.carry_out(Operation.GET_DOCUMENT_OUTLINE, document_id=document_id)
        return outline

    def read_chunks(self, chunk_ids: Sequence[int], neighbor_window: int = 0) -> tuple[Passage, ...]:
        read: tuple[Passage, ...] = self.carry_out(
            Operation.READ_CHUNKS, chunk_ids=chunk_ids, neighbor_window=neighbor_window
        )
        return read
