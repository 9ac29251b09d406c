"""Carrying out one tool call: check the arguments against the run, then ask the corpus."""

from __future__ import annotations

import logging
from datetime import date
from typing import NamedTuple

from dofpilot.agent.conversation import ToolRequest
from dofpilot.agent.reader import Reader
from dofpilot.agent.state import RunState
from dofpilot.agent.tools.arguments import (
    DateRange,
    GetDocumentOutline,
    ListPublications,
    ReadChunks,
    SearchDocuments,
    SearchEvidence,
    ToolArguments,
    ToolName,
    parse,
)
from dofpilot.agent.tools.errors import CallRefused, RefusalCode
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
    ToolError,
    ToolResult,
)
from dofpilot.corpus.errors import InvalidRequest
from dofpilot.corpus.types import Filters, Retrieval, Strategy

logger = logging.getLogger(__name__)


class Call(NamedTuple):
    """A call whose arguments were validated against their schema, the cut-off and the run's state."""

    tool: ToolName
    arguments: ToolArguments


def prepare(
    request: ToolRequest, offered: tuple[ToolName, ...], state: RunState, as_of: date
) -> Call | ToolError:
    """Validate a request without touching the corpus."""
    if request.name not in offered:
        return _not_offered(offered)
    tool = ToolName(request.name)
    try:
        arguments = parse(tool, request.arguments)
        _within_run(arguments, state, as_of)
    except CallRefused as refusal:
        return refusal.error
    return Call(tool, arguments)


def execute(
    call: Call, state: RunState, as_of: date, corpus: Reader, strategy: Strategy = Strategy.LEXICAL
) -> ToolResult:
    """The typed result, taken into ``state``; a ``ToolError`` when the corpus refuses the arguments.

    Raises ``CorpusUnavailable`` and ``IntegrityError`` as the corpus does.
    """
    try:
        result = _ask(call.arguments, as_of, corpus, strategy)
        _same_documents(result, state)
    except InvalidRequest as refusal:
        return ToolError(
            RefusalCode.INVALID_ARGUMENT, f"El acervo no acepta ese valor: {refusal.reason}.", refusal.field
        )
    except CallRefused as refusal:
        return refusal.error
    state.record(call.tool, result)
    return result


def _ask(arguments: ToolArguments, as_of: date, corpus: Reader, strategy: Strategy) -> ToolResult:
    match arguments:
        case ListPublications():
            filters = _filters(arguments, as_of)
            found = corpus.list_publications(filters, arguments.limit, arguments.institution)
            return PublicationsListed(*found)
        case SearchDocuments():
            return _search(arguments, as_of, corpus, strategy)
        case SearchEvidence():
            return _search_inside(arguments, as_of, corpus, strategy)
        case GetDocumentOutline():
            return OutlineShown(corpus.get_document_outline(arguments.document_id))
        case ReadChunks():
            chunk_ids = tuple(dict.fromkeys(arguments.chunk_ids))
            return ReadPassages(corpus.read_chunks(chunk_ids, arguments.neighbor_window))
    raise NotImplementedError(type(arguments).__name__)


def _search(arguments: SearchDocuments, as_of: date, corpus: Reader, strategy: Strategy) -> DocumentsFound:
    found = corpus.search_documents(
        arguments.query,
        _filters(arguments, as_of),
        arguments.limit,
        strategy,
        prefer_recent=arguments.prefer_recent,
    )
    _log_fallback(found.retrieval)
    return DocumentsFound(arguments.query, found.hits, found.retrieval)


def _search_inside(
    arguments: SearchEvidence, as_of: date, corpus: Reader, strategy: Strategy
) -> EvidenceFound:
    documents = tuple(arguments.document_ids)
    found = corpus.search_evidence(
        arguments.query, documents, Filters(as_of=as_of), arguments.limit, strategy
    )
    _log_fallback(found.retrieval)
    return EvidenceFound(arguments.query, found.hits, found.retrieval)


def _log_fallback(retrieval: Retrieval) -> None:
    # The reason may name servers: it is for the log, and the run only tells that there was one.
    if retrieval.fallback:
        logger.warning("searched by words alone: %s", retrieval.fallback)


def _filters(arguments: DateRange, as_of: date) -> Filters:
    return Filters(as_of, arguments.date_from, arguments.date_to, arguments.section)


def _within_run(arguments: ToolArguments, state: RunState, as_of: date) -> None:
    match arguments:
        case DateRange():
            _before_cutoff(arguments, as_of)
        case SearchEvidence():
            _known_documents(arguments.document_ids, "document_ids", state)
        case GetDocumentOutline():
            _known_documents([arguments.document_id], "document_id", state)
        case ReadChunks():
            _known_chunks(arguments.chunk_ids, state)


def _before_cutoff(arguments: DateRange, as_of: date) -> None:
    for field in ("date_from", "date_to"):
        day = getattr(arguments, field)
        if day is not None and day > as_of:
            message = f"«{field}» es posterior a la fecha de corte. Usa {as_of.isoformat()} o una anterior."
            raise CallRefused(RefusalCode.AFTER_CUTOFF, message, field)


def _known_documents(document_ids: list[int], field: str, state: RunState) -> None:
    unknown = [document for document in document_ids if document not in state.publications]
    if unknown:
        message = (
            f"Ninguna herramienta ha devuelto el documento {unknown[0]}. "
            "Usa un document_id de una lista o de una búsqueda."
        )
        raise CallRefused(RefusalCode.UNKNOWN_DOCUMENT, message, field)


def _known_chunks(chunk_ids: list[int], state: RunState) -> None:
    unknown = [chunk for chunk in chunk_ids if not state.knows_chunk(chunk)]
    if unknown:
        message = (
            f"Ninguna herramienta ha devuelto el pasaje {unknown[0]}. "
            "Usa un chunk_id de una búsqueda, de un índice o vecino de uno leído."
        )
        raise CallRefused(RefusalCode.UNKNOWN_CHUNK, message, "chunk_ids")


def _same_documents(result: ToolResult, state: RunState) -> None:
    """A neighbour's number may belong to the next document, which the cut-off has not let through."""
    if not isinstance(result, ReadPassages):
        return
    if any(passage.publication.document_id not in state.publications for passage in result.passages):
        message = "Uno de los pasajes pertenece a un documento que ninguna herramienta ha devuelto."
        raise CallRefused(RefusalCode.UNKNOWN_CHUNK, message, "chunk_ids")


def _not_offered(offered: tuple[ToolName, ...]) -> ToolError:
    if not offered:
        message = "Ya no hay herramientas disponibles. Entrega la respuesta final con lo leído."
    else:
        message = f"Esa herramienta no está disponible ahora. Puedes usar: {', '.join(offered)}."
    return ToolError(RefusalCode.NOT_OFFERED, message)
