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
from dofpilot.corpus.text.shares import percent
from dofpilot.corpus.text.shortening import shorten
from dofpilot.corpus.types import Retrieval

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
    notes: tuple[Sentence, ...] = ()

    def payload(self) -> dict[str, Any]:
        """``message`` (with its notes), ``why`` and ``say`` of an event."""
        values = {**self.message.values, **(self.why.values if self.why else {})}
        finished = {"message": ". ".join(map(str, (self.message, *self.notes)))}
        templates = {"message": self.message.template}
        if self.why:
            finished["why"] = str(self.why)
            templates["why"] = self.why.template
        say: dict[str, Any] = {**templates, "values": said.values(values)}
        if self.notes:
            say["notes"] = [
                {"message": note.template, "values": said.values(note.values)} for note in self.notes
            ]
        return {**finished, "say": say}


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
            message, why = Sentence(template, _query(arguments)), Sentence(wording.WHY_SEARCH)
            recent = (Sentence(wording.RECENT_FIRST),) if arguments.prefer_recent else ()
            return Saying(message, why, (*recent, *_notes(result.retrieval)))
        case SearchEvidence(), EvidenceFound():
            one, many = wording.LOCATED_ONE, wording.LOCATED
            if not result.hits:
                one = many = wording.LOCATED_NOTHING
            return _locating(arguments, one, many)._replace(notes=_notes(result.retrieval))
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
    values = {name: value for name, value in (("date_from", first), ("date_to", last)) if value}
    return Saying(Sentence(_LISTING[span][done], values), Sentence(wording.WHY_LIST))


def _query(arguments: SearchDocuments | SearchEvidence) -> dict[str, Any]:
    return {"query": shorten(arguments.query, QUERY_LENGTH)}


def _locating(arguments: SearchEvidence, one: str, many: str) -> Saying:
    documents = len(set(arguments.document_ids))
    values = {**_query(arguments), "documents": documents}
    return Saying(Sentence(one if documents == 1 else many, values), Sentence(wording.WHY_LOCATE))


def _notes(retrieval: Retrieval) -> tuple[Sentence, ...]:
    """What the asker did not ask for, or would not expect, in how a search was done."""
    notes = [
        Sentence(wording.CORRECTED, {"typed": typed, "meant": meant})
        for typed, meant in retrieval.corrections
    ]
    if retrieval.fallback:
        notes.append(Sentence(wording.NO_VECTORS))
    if 0 < retrieval.vector_share < 1:
        notes.append(Sentence(wording.SOME_VECTORS, {"percent": percent(retrieval.vector_share)}))
    return tuple(notes)


def _outlining(template: str, title: str) -> Saying:
    values = {"title": shorten(title, TITLE_LENGTH)}
    return Saying(Sentence(template, values), Sentence(wording.WHY_OUTLINE))


def _reading(passages: int, one: str, many: str) -> Saying:
    return Saying(
        Sentence(one if passages == 1 else many, {"passages": passages}), Sentence(wording.WHY_READ)
    )
