"""What the agent asks of a corpus: five operations and no more, so that a recording can stand in for one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

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


class Reader(Protocol):
    """The operations of ``dofpilot.corpus.corpus.Corpus``, which describes their arguments and errors."""

    def list_publications(
        self, filters: Filters, limit: int = 50, institution: str | None = None
    ) -> tuple[tuple[Publication, ...], int]: ...

    def search_documents(
        self,
        query: str,
        filters: Filters,
        limit: int = 10,
        strategy: Strategy = Strategy.LEXICAL,
        *,
        prefer_recent: bool = False,
    ) -> Found[DocumentHit]: ...

    def search_evidence(
        self,
        query: str,
        document_ids: Sequence[int],
        filters: Filters,
        limit: int = 10,
        strategy: Strategy = Strategy.LEXICAL,
    ) -> Found[EvidenceHit]: ...

    def get_document_outline(self, document_id: int) -> Outline: ...

    def read_chunks(self, chunk_ids: Sequence[int], neighbor_window: int = 0) -> tuple[Passage, ...]: ...
