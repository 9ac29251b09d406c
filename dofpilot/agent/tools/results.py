"""What each tool gives back: one type per tool, so that provenance is part of the type.

Only ``ReadPassages`` holds text that may be cited. ``OutlineShown`` names chunks too, and a function
that takes passages cannot be handed one by mistake.
"""

from __future__ import annotations

from dataclasses import dataclass

from dofpilot.corpus.types import (
    DocumentHit,
    EvidenceHit,
    Outline,
    Passage,
    Publication,
    Retrieval,
    Strategy,
)

BY_WORDS = Retrieval(Strategy.LEXICAL, Strategy.LEXICAL)


@dataclass(frozen=True, slots=True)
class PublicationsListed:
    """``total`` counts what the filters matched; ``publications`` may be cut to the limit asked for."""

    publications: tuple[Publication, ...]
    total: int


@dataclass(frozen=True, slots=True)
class DocumentsFound:
    """``retrieval`` tells how the search was really done."""

    query: str
    hits: tuple[DocumentHit, ...]
    retrieval: Retrieval = BY_WORDS


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    query: str
    hits: tuple[EvidenceHit, ...]
    retrieval: Retrieval = BY_WORDS


@dataclass(frozen=True, slots=True)
class OutlineShown:
    outline: Outline


@dataclass(frozen=True, slots=True)
class ReadPassages:
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class ToolError:
    """A refused call: ``code`` is stable, ``message`` is Spanish and says how to correct the call."""

    code: str
    message: str
    field: str | None = None


ToolResult = PublicationsListed | DocumentsFound | EvidenceFound | OutlineShown | ReadPassages | ToolError
