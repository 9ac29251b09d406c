"""What ``corpus_search`` found, as text on a terminal or in a pipe, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from rich.console import Console
from rich.text import Text

from dofpilot.corpus.search.query import ParsedQuery
from dofpilot.corpus.text.analysis import WORD, term
from dofpilot.corpus.text.shares import percent
from dofpilot.corpus.types import DocumentHit, EvidenceHit, Found, Publication, Retrieval, Score
from runs.management.corpora import bar
from runs.presentation.formats import dateline
from runs.terminal import harmless

MARKED = "bold yellow"
NAME = 14
PARTS = {
    "terms": "Términos",
    "phrases": "Frases",
    "synonyms": "Sinónimos",
    "titles": "En el título",
    "labels": "Rótulos",
    "days": "Fechas",
    "definition": "Definición",
}


@dataclass(frozen=True, slots=True)
class Searched:
    """A search that was done. ``milliseconds`` include reading the hits for their snippets."""

    query: str
    parsed: ParsedQuery
    found: Found[DocumentHit] | Found[EvidenceHit]
    milliseconds: float


def as_json(searched: Searched) -> dict[str, Any]:
    """Plain values; the hits with their scores in parts."""
    retrieval = searched.found.retrieval
    return {
        "query": searched.query,
        "milliseconds": round(searched.milliseconds, 1),
        "retrieval": {
            "asked": retrieval.asked.value,
            "used": retrieval.used.value,
            "fallback": retrieval.fallback,
            "vector_share": retrieval.vector_share,
            "corrections": [{"typed": typed, "meant": meant} for typed, meant in retrieval.corrections],
        },
        "parsed": {name: list(values) for name, values in _parts(searched.parsed).items()},
        "hits": [_hit(hit) for hit in searched.found],
    }


def _hit(hit: DocumentHit | EvidenceHit) -> dict[str, Any]:
    publication = hit.publication
    return {
        "document_id": publication.document_id,
        "chunk_id": _chunk_id(hit),
        "path": publication.path,
        "title": publication.title,
        "institution": publication.institution,
        "publication_date": publication.publication_date.isoformat(),
        "section": publication.section.value,
        "official_url": publication.official_url,
        "heading_path": list(hit.heading_path),
        "snippet": hit.snippet,
        "score": {"total": round(hit.score.total, 4), "base": hit.score.base, "boosts": hit.score.boosts},
    }


def _chunk_id(hit: DocumentHit | EvidenceHit) -> int:
    return hit.best_chunk_id if isinstance(hit, DocumentHit) else hit.chunk_id


class Hits:
    """Prints hits; text of documents never reaches a terminal as control codes."""

    def __init__(self, stream: IO[str], *, explain: bool) -> None:
        self._console = Console(file=stream, highlight=False, markup=False, soft_wrap=True)
        self._explain = explain

    def show(self, searched: Searched) -> None:
        retrieval = searched.found.retrieval
        for line in _news(retrieval):
            self._print(line, "yellow")
        if self._explain:
            self._how(searched)
        if not searched.found:
            self._print("Sin resultados. Prueba otras palabras o menos filtros.")
        for place, hit in enumerate(searched.found, start=1):
            self._hit(place, hit, retrieval)

    def _how(self, searched: Searched) -> None:
        retrieval = searched.found.retrieval
        share = percent(retrieval.vector_share)
        compared = f", vectores del {share} % de los pasajes" if retrieval.vector_share else ""
        self._line("Búsqueda", f"pedida {retrieval.asked}, hecha {retrieval.used}{compared}")
        self._line("Duración", f"{searched.milliseconds:.1f} ms")
        for name, values in _parts(searched.parsed).items():
            if values:
                self._line(PARTS[name], " · ".join(values))
        self._print("")

    def _hit(self, place: int, hit: DocumentHit | EvidenceHit, retrieval: Retrieval) -> None:
        publication = hit.publication
        self._print(f"{place:>3}. {publication.title}", "bold")
        self._print(f"     {_from(publication)}")
        if path := _below_title(hit.heading_path, publication):
            self._print(f"     {path}")
        self._console.print(Text("     ") + marked(harmless(hit.snippet), retrieval.terms))
        self._print(f"     documento {publication.document_id}, pasaje {_chunk_id(hit)}", "dim")
        self._print(f"     {publication.official_url}", "dim")
        if self._explain:
            self._score(hit.score)
        self._print("")

    def _score(self, score: Score) -> None:
        parts = {"base": score.base, **score.boosts}
        largest = max(parts.values())
        for name, value in parts.items():
            self._print(f"     {name:<{NAME}}{value:>9.4f} {bar(value, largest)}", "cyan")
        self._print(f"     {'total':<{NAME}}{score.total:>9.4f}", "cyan")

    def _line(self, label: str, value: str) -> None:
        self._console.print(Text.assemble((f"{label:<{NAME}}", "dim"), harmless(value)))

    def _print(self, text: str, style: str = "") -> None:
        self._console.print(Text(harmless(text), style))


def marked(text: str, wanted: frozenset[str]) -> Text:
    """``text`` with the words whose index terms are ``wanted`` in another style."""
    styled = Text(text)
    for word in WORD.finditer(text):
        if term(word[0]) in wanted:
            styled.stylize(MARKED, *word.span())
    return styled


def _news(retrieval: Retrieval) -> Iterator[str]:
    """What the asker did not ask for in how the search was done."""
    for typed, meant in retrieval.corrections:
        yield f"También se buscó «{meant}» por «{typed}»."
    if retrieval.fallback:
        yield f"Se buscó solo por palabras: {retrieval.fallback}."
    if 0 < retrieval.vector_share < 1:
        yield f"Solo el {percent(retrieval.vector_share)} % de los pasajes tiene vectores."


def _parts(query: ParsedQuery) -> dict[str, Sequence[str]]:
    """What a query was read as."""
    return {
        "terms": query.terms,
        "phrases": _spoken(query.phrases),
        "synonyms": _spoken(query.expansions),
        "titles": _spoken(query.titles),
        "labels": [label.replace("_", " ") for label in query.labels],
        "days": [day.isoformat() for day in query.days],
        "definition": ["sí"] if query.definition else [],
    }


def _spoken(phrases: Iterable[Sequence[str]]) -> list[str]:
    return [" ".join(phrase) for phrase in phrases]


def _from(publication: Publication) -> str:
    when = dateline(publication.publication_date.isoformat(), publication.section)
    return " · ".join(part for part in (when, publication.institution) if part)


def _below_title(path: Sequence[str], publication: Publication) -> str:
    """The heading path without what the lines above it say."""
    said = (publication.title, publication.institution)
    return " › ".join(part for part in path if part not in said)
