"""What ``corpus_search`` found, as text on a terminal or in a pipe, and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import IO, Any

from rich.text import Text

from dofpilot.corpus.search.query import ParsedQuery
from dofpilot.corpus.text.analysis import WORD, term
from dofpilot.corpus.text.shares import percent
from dofpilot.corpus.types import DocumentHit, EvidenceHit, Filters, Found, Publication, Retrieval, Score
from runs.management.corpora import STRATEGIES, bar
from runs.management.lines import Lines
from runs.presentation.formats import dateline, short_date
from runs.terminal import harmless

MARKED = "bold yellow"
NAME = 14
INDENT = 5
PARTS = {
    "terms": "Raíces",
    "phrases": "Frases",
    "synonyms": "Sinónimos",
    "titles": "En el título",
    "labels": "Rótulos",
    "days": "Fechas",
    "codes": "Códigos",
    "definition": "Definición",
}
SCORES = {
    "base": "base",
    "corrections": "correcciones",
    "synonyms": "sinónimos",
    "phrases": "frases",
    "norm": "norma",
    "labels": "rótulos",
    "document": "documento",
    "dates": "fechas",
    "definition": "definición",
    "recent": "reciente",
    "vector": "vectores",
}
_CELLS = re.compile(r"\s*(?:\||:?-{3,}:?)(?:\s|\||:?-{3,}:?)*")
"""What stands between two cells of a table, with the rule below its header."""
_MARKS = re.compile(r"\*+(?=\S)|(?<=\S)\*+|(?<!\S)#{1,6}(?!\S)")


@dataclass(frozen=True, slots=True)
class Searched:
    """A search that was done. ``milliseconds`` include reading the hits for their snippets.

    ``dates`` are the first and the last of the corpus; ``unused_vectors`` says why those that it has could
    not be used, and is empty where nobody misses them.
    """

    query: str
    filters: Filters
    parsed: ParsedQuery
    found: Found[DocumentHit] | Found[EvidenceHit]
    milliseconds: float
    dates: tuple[date, date]
    unused_vectors: str = ""

    @property
    def asked_outside(self) -> bool:
        """Whether no day of the corpus is within the filters' dates."""
        first, last = self.dates
        until = min(filter(None, (self.filters.as_of, self.filters.date_to)), default=last)
        return until < first or (self.filters.date_from or first) > last


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
        self._lines = Lines(stream)
        self._explain = explain

    def show(self, searched: Searched) -> None:
        for line in _news(searched):
            self._print(line, "yellow")
        if self._explain:
            self._how(searched)
        if not searched.found:
            self._print(_nothing(searched))
        hits: tuple[DocumentHit | EvidenceHit, ...] = searched.found.hits
        largest = max((part for hit in hits for part in _scored(hit.score).values()), default=0.0)
        for place, hit in enumerate(hits, start=1):
            self._hit(place, hit, searched.found.retrieval)
            if self._explain:
                self._score(hit.score, largest)
            self._print("")

    def _how(self, searched: Searched) -> None:
        retrieval = searched.found.retrieval
        share = percent(retrieval.vector_share)
        compared = f", vectores del {share} % de los pasajes" if retrieval.vector_share else ""
        asked, used = STRATEGIES[retrieval.asked], STRATEGIES[retrieval.used]
        self._line("Búsqueda", f"pedida {asked}, hecha {used}{compared}")
        self._line("Duración", f"{searched.milliseconds:.1f} ms")
        for name, values in _parts(searched.parsed).items():
            if values:
                self._line(PARTS[name], " · ".join(values))
        self._print("")

    def _hit(self, place: int, hit: DocumentHit | EvidenceHit, retrieval: Retrieval) -> None:
        publication = hit.publication
        self._lines.put(Text(harmless(publication.title), "bold"), Text(f"{place:>3}. ", "bold"), INDENT)
        self._below(_from(publication))
        if path := _below_title(hit.heading_path, publication):
            self._below(path)
        self._lines.put(marked(harmless(plain(hit.snippet)), retrieval.terms), indent=INDENT)
        self._below(f"documento {publication.document_id}, pasaje {_chunk_id(hit)}", "dim")
        self._below(publication.official_url, "dim")

    def _score(self, score: Score, largest: float) -> None:
        for name, value in _scored(score).items():
            self._below(f"{SCORES[name]:<{NAME}}{value:>9.4f} {bar(value, largest)}", "cyan")
        self._below(f"{'total':<{NAME}}{score.total:>9.4f}", "cyan")

    def _line(self, label: str, value: str) -> None:
        self._lines.put(Text(harmless(value)), Text(label, "dim"), NAME)

    def _below(self, text: str, style: str = "") -> None:
        self._lines.put(Text(harmless(text), style), indent=INDENT)

    def _print(self, text: str, style: str = "") -> None:
        self._lines.put(Text(harmless(text), style))


def plain(snippet: str) -> str:
    """A snippet without the marks of Markdown; a middle dot stands between the cells of a table."""
    cells = _CELLS.sub(" · ", snippet)
    return " ".join(_MARKS.sub("", cells).split()).strip("· ")


def marked(text: str, wanted: frozenset[str]) -> Text:
    """``text`` with the words whose index terms are ``wanted`` in another style."""
    styled = Text(text)
    for word in WORD.finditer(text):
        if term(word[0]) in wanted:
            styled.stylize(MARKED, *word.span())
    return styled


def _scored(score: Score) -> dict[str, float]:
    return {"base": score.base, **score.boosts}


def _nothing(searched: Searched) -> str:
    if searched.asked_outside:
        first, last = map(short_date, searched.dates)
        return f"Sin resultados: el acervo solo tiene publicaciones del {first} al {last}."
    return "Sin resultados. Prueba otras palabras o menos filtros."


def _news(searched: Searched) -> Iterator[str]:
    """What the asker did not ask for in how the search was done."""
    retrieval = searched.found.retrieval
    if searched.unused_vectors:
        yield f"El acervo tiene vectores y no se pueden usar: {searched.unused_vectors}."
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
        "codes": [str(code) for code in query.codes],
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
