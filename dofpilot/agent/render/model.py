"""Tool results as a model reads them: compact JSON with titles, dates, ids and text.

No scores, paths, index settings or links: they cost tokens and say nothing that helps to answer.
"""

from __future__ import annotations

import json
from functools import singledispatch
from typing import Any

from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
    ToolError,
    ToolResult,
)
from dofpilot.corpus.text.shortening import shorten
from dofpilot.corpus.types import Passage, Publication

TITLE_LENGTH = 160
SNIPPET_LENGTH = 280
HEADING_LENGTH = 120
OUTLINE_ENTRIES = 150
NOTHING_FOUND = "Sin resultados. Prueba otras palabras, menos filtros u otras fechas."


def for_model(result: ToolResult) -> str:
    """One line of JSON; the text of read passages is whole."""
    return json.dumps(_content(result), ensure_ascii=False, separators=(",", ":"))


@singledispatch
def _content(result: ToolResult) -> dict[str, Any]:
    raise NotImplementedError(type(result).__name__)


@_content.register
def _(result: PublicationsListed) -> dict[str, Any]:
    rows = [
        _publication(publication) | {"institution": shorten(publication.institution, HEADING_LENGTH)}
        for publication in result.publications
    ]
    return {"total": result.total, "publications": rows} | _note(rows)


@_content.register
def _(result: DocumentsFound) -> dict[str, Any]:
    rows = [
        _publication(hit.publication)
        | {"best_chunk_id": hit.best_chunk_id, **_heading(hit.heading_path, hit.publication)}
        | {"snippet": shorten(hit.snippet, SNIPPET_LENGTH)}
        for hit in result.hits
    ]
    return {"documents": rows} | _note(rows)


@_content.register
def _(result: EvidenceFound) -> dict[str, Any]:
    rows = [
        {
            "chunk_id": hit.chunk_id,
            "document_id": hit.publication.document_id,
            **_heading(hit.heading_path, hit.publication),
            "snippet": shorten(hit.snippet, SNIPPET_LENGTH),
        }
        for hit in result.hits
    ]
    return {"found": rows} | _note(rows)


@_content.register
def _(result: OutlineShown) -> dict[str, Any]:
    entries, publication = result.outline.entries, result.outline.publication
    rows = [
        {**_heading(entry.heading_path, publication), "chunks": [entry.first_chunk_id, entry.last_chunk_id]}
        for entry in entries[:OUTLINE_ENTRIES]
    ]
    omitted = {"omitted": len(entries) - len(rows)} if len(entries) > len(rows) else {}
    return {**_publication(publication), "outline": rows, **omitted}


@_content.register
def _(result: ReadPassages) -> dict[str, Any]:
    return {"passages": [_passage(passage) for passage in result.passages]}


@_content.register
def _(result: ToolError) -> dict[str, Any]:
    field = {"field": result.field} if result.field else {}
    return {"error": {"code": str(result.code), "message": result.message, **field}}


def _publication(publication: Publication) -> dict[str, Any]:
    return {
        "document_id": publication.document_id,
        "title": shorten(publication.title, TITLE_LENGTH),
        "date": publication.publication_date.isoformat(),
        "section": publication.section.value,
    }


def _passage(passage: Passage) -> dict[str, Any]:
    publication = passage.publication
    return {
        "chunk_id": passage.chunk_id,
        "document_id": publication.document_id,
        "title": shorten(publication.title, TITLE_LENGTH),
        "date": publication.publication_date.isoformat(),
        **_heading(passage.heading_path, publication),
        **({"context": passage.context} if passage.context else {}),
        "text": passage.text,
    }


def _heading(path: tuple[str, ...], publication: Publication) -> dict[str, str]:
    """The innermost two headings, without those that repeat the document's title or who publishes it."""
    said = (publication.title, publication.institution)
    parts = [shorten(part, HEADING_LENGTH) for part in path if part not in said][-2:]
    return {"heading": " > ".join(parts)} if parts else {}


def _note(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {} if rows else {"note": NOTHING_FOUND}
