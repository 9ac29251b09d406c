"""What a run has listed, found, outlined and read. Everything a tool may be asked follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import DocumentUse
from dofpilot.agent.retrieval import Searches
from dofpilot.agent.tools.arguments import ToolName
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
    ToolError,
    ToolResult,
)
from dofpilot.corpus.types import Passage, Publication


@dataclass(slots=True)
class RunState:
    """Only ``record`` changes it. Identifiers are known once a tool has returned them.

    ``passages`` holds what was read, by chunk id, in reading order: nothing else can be cited.
    ``tool_calls`` and ``document_searches`` count calls that were carried out; a refused call costs a
    turn and no more. ``searches`` tells how each search was done.
    """

    limits: Limits
    publications: dict[int, Publication] = field(default_factory=dict)
    passages: dict[int, Passage] = field(default_factory=dict)
    tool_calls: int = 0
    document_searches: int = 0
    latest_seen: date | None = None
    searches: Searches = field(default_factory=Searches)
    _chunks: set[int] = field(default_factory=set)
    _outlined: list[range] = field(default_factory=list)

    @property
    def tools_exhausted(self) -> bool:
        return self.tool_calls >= self.limits.tool_calls

    def offered(self) -> tuple[ToolName, ...]:
        """Discover documents, then passages, then read: a tool appears once it has something to work on."""
        if self.tools_exhausted:
            return ()
        possible = {
            ToolName.LIST_PUBLICATIONS: True,
            ToolName.SEARCH_DOCUMENTS: self.document_searches < self.limits.document_searches,
            ToolName.SEARCH_EVIDENCE: bool(self.publications),
            ToolName.GET_DOCUMENT_OUTLINE: bool(self.publications),
            ToolName.READ_CHUNKS: bool(self._chunks or self._outlined),
        }
        return tuple(tool for tool, sensible in possible.items() if sensible)

    def knows_chunk(self, chunk_id: int) -> bool:
        return chunk_id in self._chunks or any(chunk_id in chunks for chunks in self._outlined)

    def record(self, tool: ToolName, result: ToolResult) -> None:
        """Take in what a carried-out call returned."""
        self.tool_calls += 1
        self.document_searches += tool is ToolName.SEARCH_DOCUMENTS
        if isinstance(result, DocumentsFound | EvidenceFound):
            self.searches.done.append(result.retrieval)
        match result:
            case PublicationsListed():
                self._see(result.publications)
            case DocumentsFound():
                self._see(hit.publication for hit in result.hits)
                self._chunks.update(hit.best_chunk_id for hit in result.hits)
            case EvidenceFound():
                self._see(hit.publication for hit in result.hits)
                self._chunks.update(hit.chunk_id for hit in result.hits)
            case OutlineShown():
                self._see([result.outline.publication])
                self._outlined.extend(
                    range(entry.first_chunk_id, entry.last_chunk_id + 1) for entry in result.outline.entries
                )
            case ReadPassages():
                self._read(result.passages)
            case ToolError():
                raise ValueError("a refused call was not carried out")

    def document_uses(self, cited: Iterable[int]) -> tuple[DocumentUse, ...]:
        """Every document seen, cited ones first, then read, then found; ``cited`` are chunk ids."""
        cited_documents = [self.passages[chunk].publication.document_id for chunk in cited]
        read_documents = [passage.publication.document_id for passage in self.passages.values()]
        order = dict.fromkeys([*cited_documents, *read_documents, *self.publications])
        return tuple(
            DocumentUse(
                self.publications[document],
                found=True,
                read=document in read_documents,
                cited=document in cited_documents,
            )
            for document in order
        )

    def _read(self, passages: tuple[Passage, ...]) -> None:
        self._see(passage.publication for passage in passages)
        for passage in passages:
            self.passages.setdefault(passage.chunk_id, passage)
            # The corpus numbers the chunks of a document in a row; a neighbour that does not exist
            # is refused by the corpus, and one of another document by the tool.
            self._chunks.update((passage.chunk_id - 1, passage.chunk_id, passage.chunk_id + 1))

    def _see(self, publications: Iterable[Publication]) -> None:
        for publication in publications:
            self.publications.setdefault(publication.document_id, publication)
            if self.latest_seen is None or publication.publication_date > self.latest_seen:
                self.latest_seen = publication.publication_date
