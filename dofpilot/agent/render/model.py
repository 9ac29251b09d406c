"""Tool results as a model reads them: lines of ids, dates, titles and text.

No scores, paths, index settings or links: they cost tokens and say nothing that helps to answer. Plain lines
and not JSON, which inside of a request is escaped a second time. What a conversation has told already is not
told again. What stands there is never taken back, though a passage was read since: servers keep what they
computed for a beginning that stays the same, and read it for a tenth of the price or in no time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache, singledispatch

from dofpilot.agent.render.squeezing import in_line, squeezed
from dofpilot.agent.tools.results import (
    DocumentsFound,
    EvidenceFound,
    OutlineShown,
    PublicationsListed,
    ReadPassages,
    ToolError,
    ToolResult,
)
from dofpilot.corpus.search.snippets import Snippets
from dofpilot.corpus.text.shortening import shorten
from dofpilot.corpus.types import DocumentHit, EvidenceHit, Passage, Publication

TITLE_LENGTH = 160
SNIPPET_LENGTH = 240
# A list longer than what a tool gives by itself is for leads: its tail says what a place is about.
HITS_IN_FRONT, TAIL_LENGTH = 10, 120
HEADING_LENGTH = 120
OUTLINE_ENTRIES = 150
SNIPPETS_KEPT, QUERIES_KEPT = 1024, 64
NOTHING_FOUND = "Sin resultados. Prueba otras palabras, menos filtros u otras fechas."
SEEN_DOCUMENT = "(documento ya mostrado)"
SEEN_SNIPPET = "(fragmento ya mostrado)"
READ_BEFORE = "(pasaje ya leído)"


@dataclass(slots=True)
class Told:
    """What one conversation has told its model so far; of a snippet also how long it was.

    Make one for each rendering of a conversation and render its results in their order: then each result
    reads the same in every later turn.
    """

    documents: set[int] = field(default_factory=set)
    snippets: dict[tuple[int, str], int] = field(default_factory=dict)
    passages: set[int] = field(default_factory=set)
    read_in: set[int] = field(default_factory=set)


def for_model(result: ToolResult, told: Told) -> str:
    """The result's lines, never none; ``told`` takes them in. A passage loses its padding and no word."""
    return "\n".join(_lines(result, told)) or NOTHING_FOUND


@singledispatch
def _lines(result: ToolResult, told: Told) -> Iterator[str]:
    raise NotImplementedError(type(result).__name__)


@_lines.register
def _(result: PublicationsListed, told: Told) -> Iterator[str]:
    if not result.publications:
        return
    yield f"Publicaciones: {len(result.publications)} de {result.total}"
    yield "document_id | fecha, edición | institución | título"
    for publication in result.publications:
        yield _document(publication, told, shorten(in_line(publication.institution), HEADING_LENGTH))


@_lines.register
def _(result: DocumentsFound, told: Told) -> Iterator[str]:
    if not result.hits:
        return
    yield "document_id | fecha, edición | título, y debajo su mejor pasaje: chunk_id | encabezado | fragmento"
    for place, hit in enumerate(result.hits):
        yield _document(hit.publication, told)
        snippets = _snippets(result.retrieval.terms, _room(place))
        yield _joined(f"  {hit.best_chunk_id}", *_hit(hit, hit.best_chunk_id, snippets, told))


@_lines.register
def _(result: EvidenceFound, told: Told) -> Iterator[str]:
    if not result.hits:
        return
    yield "chunk_id | document_id | encabezado | fragmento"
    for place, hit in enumerate(result.hits):
        document = str(hit.publication.document_id)
        snippets = _snippets(result.retrieval.terms, _room(place))
        yield _joined(str(hit.chunk_id), document, *_hit(hit, hit.chunk_id, snippets, told))


@_lines.register
def _(result: OutlineShown, told: Told) -> Iterator[str]:
    entries, publication = result.outline.entries, result.outline.publication
    yield _document(publication, told)
    yield "chunk_id (primero a último) | encabezado"
    above: tuple[str, ...] = ()
    for entry in entries[:OUTLINE_ENTRIES]:
        *parents, own = _headings(entry.heading_path, publication) or ("(inicio)",)
        if parents and tuple(parents) != above:
            yield f"{' > '.join(parents)}:"
        above = tuple(parents)
        first, last = entry.first_chunk_id, entry.last_chunk_id
        chunks = str(first) if first == last else f"{first} a {last}"
        yield f"{'  ' if parents else ''}{chunks} | {own}"
    if len(entries) > OUTLINE_ENTRIES:
        yield f"Encabezados que no se muestran: {len(entries) - OUTLINE_ENTRIES}."


@_lines.register
def _(result: ReadPassages, told: Told) -> Iterator[str]:
    for passage in result.passages:
        yield from _passage(passage, told)


@_lines.register
def _(result: ToolError, told: Told) -> Iterator[str]:
    yield f"Error {result.code}: {in_line(result.message)}"


def _document(publication: Publication, told: Told, *more: str) -> str:
    """Id, date, edition, ``more`` and title, or that it was shown."""
    number = publication.document_id
    if number in told.documents:
        return _joined(str(number), SEEN_DOCUMENT)
    told.documents.add(number)
    issued = f"{publication.publication_date.isoformat()}, {publication.section.value}"
    return _joined(str(number), issued, *more, _title(publication))


def _room(place: int) -> int:
    return SNIPPET_LENGTH if place < HITS_IN_FRONT else TAIL_LENGTH


def _hit(hit: DocumentHit | EvidenceHit, chunk: int, snippets: Snippets, told: Told) -> tuple[str, str]:
    """Heading and snippet of a hit; what stands there already is named alone."""
    if chunk in told.passages:
        return "", READ_BEFORE
    snippet = _shorter(hit.snippet, snippets)
    if told.snippets.get((chunk, hit.snippet), -1) >= len(snippet):
        return "", SEEN_SNIPPET
    told.snippets[chunk, hit.snippet] = len(snippet)
    return " > ".join(_headings(hit.heading_path, hit.publication)), snippet


# Every turn renders the whole conversation again.
@lru_cache(SNIPPETS_KEPT)
def _shorter(snippet: str, snippets: Snippets) -> str:
    """The hit's own snippet with less around the match, and the match in its middle again."""
    return snippets.of(in_line(snippet))


@lru_cache(QUERIES_KEPT)
def _snippets(terms: frozenset[str], length: int) -> Snippets:
    return Snippets(terms, length)


def _passage(passage: Passage, told: Told) -> Iterator[str]:
    publication = passage.publication
    chunk, document = passage.chunk_id, publication.document_id
    if chunk in told.passages:
        yield f"{chunk} {READ_BEFORE}"
        return
    told.passages.add(chunk)
    issued = publication.publication_date.isoformat()
    yield f"<pasaje chunk_id={chunk} document_id={document} fecha={issued}>"
    if document not in told.read_in:
        yield f"título: {_title(publication)}"
    told.read_in.add(document)
    if headings := _headings(passage.heading_path, publication):
        yield f"encabezado: {' > '.join(headings)}"
    if passage.context:
        yield f"contexto, no citable: {squeezed(passage.context)}"
    yield squeezed(passage.text)
    yield "</pasaje>"


def _title(publication: Publication) -> str:
    return shorten(in_line(publication.title), TITLE_LENGTH)


def _headings(path: tuple[str, ...], publication: Publication) -> tuple[str, ...]:
    """The innermost two headings below the document's title, which is told elsewhere."""
    said = (publication.title, publication.institution)
    above = [place for place, part in enumerate(path) if part in said]
    below = path[above[-1] + 1 :] if above else path
    return tuple(shorten(in_line(part), HEADING_LENGTH) for part in below[-2:])


def _joined(*parts: str) -> str:
    return " | ".join(part for part in parts if part)
