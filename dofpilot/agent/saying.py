"""Which sentence of ``wording`` fits a tool call, before and after it."""

from __future__ import annotations

from typing import Any, NamedTuple

from dofpilot.agent import wording
from dofpilot.agent.render import said
from dofpilot.agent.tools.arguments import (
    GetDocumentOutline,
    ListPublications,
    ReadChunks,
    SearchDocuments,
    SearchEvidence,
    ToolArguments,
)
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
    ToolResult,
)
from dofpilot.agent.wording import Sentence
from dofpilot.corpus.text.shortening import shorten

QUERY_LENGTH = 120
TITLE_LENGTH = 80

_LISTING = {
    "none": (wording.LISTING, wording.LISTED),
    "from": (wording.LISTING_FROM, wording.LISTED_FROM),
    "to": (wording.LISTING_TO, wording.LISTED_TO),
    "between": (wording.LISTING_BETWEEN, wording.LISTED_BETWEEN),
    "day": (wording.LISTING_DAY, wording.LISTED_DAY),
}


class Saying(NamedTuple):
    message: Sentence
    why: Sentence | None = None

    def payload(self) -> dict[str, Any]:
        """``message``, ``why`` and ``say`` of an event."""
        values = {**self.message.values, **(self.why.values if self.why else {})}
        finished = {"message": str(self.message)}
        templates = {"message": self.message.template}
        if self.why:
            finished["why"] = str(self.why)
            templates["why"] = self.why.template
        return {**finished, "say": {**templates, "values": said.values(values)}}


def started(arguments: ToolArguments, title: str) -> Saying:
    """What a call is about to do; ``title`` is that of the document asked about, where there is one."""
    match arguments:
        case ListPublications():
            return _listing(arguments, done=False)
        case SearchDocuments():
            return Saying(Sentence(wording.SEARCHING, _query(arguments)), Sentence(wording.WHY_SEARCH))
        case SearchEvidence():
            return _locating(arguments, wording.LOCATING_ONE, wording.LOCATING)
        case GetDocumentOutline():
            return _outlining(wording.OUTLINING, title)
        case ReadChunks():
            return _reading(len(set(arguments.chunk_ids)), wording.READING_ONE, wording.READING)
    raise NotImplementedError(type(arguments).__name__)


def completed(arguments: ToolArguments, result: ToolResult, title: str) -> Saying:
    """What a call that was carried out did."""
    match arguments, result:
        case ListPublications(), PublicationsListed():
            return _listing(arguments, done=True)
        case SearchDocuments(), DocumentsFound():
            template = wording.SEARCHED if result.hits else wording.SEARCHED_NOTHING
            return Saying(Sentence(template, _query(arguments)), Sentence(wording.WHY_SEARCH))
        case SearchEvidence(), EvidenceFound(hits=()):
            return _locating(arguments, wording.LOCATED_NOTHING, wording.LOCATED_NOTHING)
        case SearchEvidence(), EvidenceFound():
            return _locating(arguments, wording.LOCATED_ONE, wording.LOCATED)
        case GetDocumentOutline(), OutlineShown():
            return _outlining(wording.OUTLINED, title)
        case ReadChunks(), ReadPassages():
            return _reading(len(result.passages), wording.READ_ONE, wording.READ)
    raise NotImplementedError(f"{type(arguments).__name__} with {type(result).__name__}")


def _listing(arguments: ListPublications, *, done: bool) -> Saying:
    first, last = arguments.date_from, arguments.date_to
    if first and last:
        span = "day" if first == last else "between"
    else:
        span = "from" if first else "to" if last else "none"
    values = {name: wording.day(value) for name, value in (("date_from", first), ("date_to", last)) if value}
    return Saying(Sentence(_LISTING[span][done], values), Sentence(wording.WHY_LIST))


def _query(arguments: SearchDocuments | SearchEvidence) -> dict[str, Any]:
    return {"query": shorten(arguments.query, QUERY_LENGTH)}


def _locating(arguments: SearchEvidence, one: str, many: str) -> Saying:
    documents = len(set(arguments.document_ids))
    values = {**_query(arguments), "documents": documents}
    return Saying(Sentence(one if documents == 1 else many, values), Sentence(wording.WHY_LOCATE))


def _outlining(template: str, title: str) -> Saying:
    values = {"title": shorten(title, TITLE_LENGTH)}
    return Saying(Sentence(template, values), Sentence(wording.WHY_OUTLINE))


def _reading(passages: int, one: str, many: str) -> Saying:
    return Saying(
        Sentence(one if passages == 1 else many, {"passages": passages}), Sentence(wording.WHY_READ)
    )
