"""What an answer rests on: passages read, and what was done with each document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from dofpilot.agent.outcome import FigureStatus
from runs.presentation import formats, markdown
from runs.presentation.steps import breadcrumb


@dataclass(frozen=True, slots=True)
class Card:
    """One passage that was read. ``number`` is its number in the answer; ``None`` when it is not cited."""

    number: int | None
    title: str
    institution: str
    dateline: str
    breadcrumb: str
    text: SafeString
    url: str


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """Found, read and cited are three different things: each has its own word."""

    title: str
    institution: str
    dateline: str
    url: str
    found: bool
    read: bool
    cited: bool


def cards(
    evidence: Iterable[Mapping[str, Any]],
    numbers: Mapping[int, int],
    figures: Iterable[Mapping[str, Any]],
) -> tuple[list[Card], list[Card]]:
    """The cited passages by number, and those only read, in reading order."""
    marks = _marks_by_passage(figures)
    made = [_card(passage, numbers, marks.get(passage["chunk_id"], [])) for passage in evidence]
    cited = sorted((card for card in made if card.number is not None), key=lambda card: card.number or 0)
    return cited, [card for card in made if card.number is None]


def document_rows(documents: Iterable[Mapping[str, Any]]) -> list[DocumentRow]:
    """Cited documents first, then read, then only found; otherwise in the order of the search."""
    rows = [
        DocumentRow(
            title=document["title"],
            institution=document["institution"],
            dateline=formats.dateline(document["publication_date"], document["section"]),
            url=document["official_url"],
            found=document["found"],
            read=document["read"],
            cited=document["cited"],
        )
        for document in documents
    ]
    return sorted(rows, key=lambda row: (not row.cited, not row.read))


def _card(passage: Mapping[str, Any], numbers: Mapping[int, int], marks: list[tuple[int, int]]) -> Card:
    return Card(
        number=numbers.get(passage["chunk_id"]),
        title=passage["title"],
        institution=passage["institution"],
        dateline=formats.dateline(passage["publication_date"], passage["section"]),
        breadcrumb=breadcrumb(passage["heading_path"], passage["title"]),
        text=markdown.render(passage["text"], marks),
        url=passage["official_url"],
    )


def _marks_by_passage(figures: Iterable[Mapping[str, Any]]) -> dict[int, list[tuple[int, int]]]:
    """Where each passage says a figure of the answer."""
    marks: dict[int, list[tuple[int, int]]] = {}
    for figure in figures:
        start, end = figure.get("chunk_start"), figure.get("chunk_end")
        if figure["status"] == FigureStatus.FOUND and start is not None and end is not None:
            marks.setdefault(figure["chunk_id"], []).append((start, end))
    return marks
