"""What a conversation has yielded so far, read back from its messages: the policy keeps no state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from dofpilot.agent.conversation import Message, Question, Revision, ToolRequest, ToolReturn
from dofpilot.agent.tools.arguments import ToolName
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
)
from dofpilot.corpus.types import DocumentHit, EvidenceHit, Outline, Passage, Publication

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class History:
    """``listed`` is ``None`` before any listing. ``searches`` and ``probes`` (searches for evidence) hold one
    entry per call, empty where the call was refused; so do ``outlines``, with ``None`` for a refusal."""

    question: Question
    calls: int
    listed: tuple[Publication, ...] | None
    searches: tuple[tuple[DocumentHit, ...], ...]
    probes: tuple[tuple[EvidenceHit, ...], ...]
    outlines: tuple[Outline | None, ...]
    reads: int
    revisions: int
    passages: dict[int, Passage] = field(default_factory=dict)

    def documents(self) -> list[int]:
        """Ids of all documents found, listed ones first, then by their best place in any search."""
        places: dict[int, int] = {}
        for hits in self.searches:
            for place, hit in enumerate(hits):
                document = hit.publication.document_id
                places[document] = min(place, places.get(document, place))
        listed = [publication.document_id for publication in self.listed or ()]
        return list(dict.fromkeys([*listed, *sorted(places, key=lambda document: places[document])]))


def history(messages: Sequence[Message]) -> History:
    """The question must be among the messages, as it is in every turn."""
    returns = [message for message in messages if isinstance(message, ToolReturn)]
    reads = _results(returns, ToolName.READ_CHUNKS, ReadPassages)
    return History(
        question=next(message for message in messages if isinstance(message, Question)),
        calls=sum(isinstance(message, ToolRequest) for message in messages),
        listed=_listed(_results(returns, ToolName.LIST_PUBLICATIONS, PublicationsListed)),
        searches=_searches(returns),
        probes=_probes(returns),
        outlines=_outlines(returns),
        reads=len(reads),
        revisions=sum(isinstance(message, Revision) for message in messages),
        passages={passage.chunk_id: passage for read in reads if read for passage in read.passages},
    )


def _searches(returns: list[ToolReturn]) -> tuple[tuple[DocumentHit, ...], ...]:
    found = _results(returns, ToolName.SEARCH_DOCUMENTS, DocumentsFound)
    return tuple(one.hits if one else () for one in found)


def _probes(returns: list[ToolReturn]) -> tuple[tuple[EvidenceHit, ...], ...]:
    found = _results(returns, ToolName.SEARCH_EVIDENCE, EvidenceFound)
    return tuple(one.hits if one else () for one in found)


def _outlines(returns: list[ToolReturn]) -> tuple[Outline | None, ...]:
    shown = _results(returns, ToolName.GET_DOCUMENT_OUTLINE, OutlineShown)
    return tuple(one.outline if one else None for one in shown)


def _listed(listings: list[PublicationsListed | None]) -> tuple[Publication, ...] | None:
    if not listings:
        return None
    return listings[0].publications if listings[0] else ()


def _results(returns: list[ToolReturn], tool: ToolName, kind: type[_Result]) -> list[_Result | None]:
    """One entry per call of ``tool``; ``None`` stands for a refusal, which is not to be repeated."""
    return [
        entry.result if isinstance(entry.result, kind) else None for entry in returns if entry.name == tool
    ]
