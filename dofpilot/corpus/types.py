"""The nouns of the corpus. Each operation returns its own type.

``Passage`` is the only type that holds citable text; an outline entry or a hit names chunks but can
never be mistaken for something that was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Generic, TypeVar, overload

OFFICIAL_PAGE = "https://dof.gob.mx/nota_detalle.php?codigo={code}&fecha={day:%d/%m/%Y}"


class Section(StrEnum):
    """Edition of the day (not a subject)."""

    MAT = "MAT"
    VES = "VES"
    EXT = "EXT"


class Strategy(StrEnum):
    """How passages are ranked. A corpus tells which of them its indexes allow."""

    LEXICAL = "lexical"
    VECTOR = "vector"
    HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class VectorState:
    """The vectors that a corpus has. That they exist does not say that a search used them.

    ``share`` of all chunks have vectors, 0 to 1; ``fingerprint`` is of the vectors' content; ``unusable``
    says in a sentence for people why no search can use them, and is empty where it can.
    """

    share: float
    fingerprint: str
    model: str
    unusable: str = ""


@dataclass(frozen=True, slots=True)
class Filters:
    """Limits on publication date (all inclusive) and edition; ``None`` means no limit."""

    as_of: date | None = None
    date_from: date | None = None
    date_to: date | None = None
    section: Section | None = None


@dataclass(frozen=True, slots=True)
class Publication:
    """One document's metadata. ``path`` is relative to the source tree (DESIGN §4)."""

    document_id: int
    path: str
    title: str
    institution: str
    publication_date: date
    section: Section

    @property
    def official_url(self) -> str:
        return OFFICIAL_PAGE.format(code=self.document_id, day=self.publication_date)


@dataclass(frozen=True, slots=True)
class Score:
    """A hit's base score and each boost that was added to it, by name."""

    base: float
    boosts: dict[str, float] = field(default_factory=dict)

    @property
    def total(self) -> float:
        return self.base + sum(self.boosts.values())


@dataclass(frozen=True, slots=True)
class DocumentHit:
    """A document that a search found, with the place in it that matched best. Not evidence."""

    publication: Publication
    score: Score
    best_chunk_id: int
    heading_path: tuple[str, ...]
    snippet: str


@dataclass(frozen=True, slots=True)
class EvidenceHit:
    """A chunk that a search found. Its snippet may be shortened: it is not citable."""

    chunk_id: int
    publication: Publication
    heading_path: tuple[str, ...]
    snippet: str
    score: Score


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How a search was really done, which is not always what was asked for.

    ``fallback`` says in a sentence for people why ``used`` is not ``asked``; empty when it is.
    ``corrections`` holds (word as typed, word searched as well) for each word that the corpus does not know.
    ``terms`` are the index terms that speak for a hit, for whoever marks them in its text. ``vector_share``
    is the share of all chunks that had vectors to compare, 0 where none were used.
    """

    asked: Strategy
    used: Strategy
    fallback: str = ""
    corrections: tuple[tuple[str, str], ...] = ()
    terms: frozenset[str] = frozenset()
    vector_share: float = 0.0


Hit = TypeVar("Hit", DocumentHit, EvidenceHit)


@dataclass(frozen=True, slots=True)
class Found(Sequence[Hit], Generic[Hit]):
    """Hits, best first, and how they were found."""

    hits: tuple[Hit, ...]
    retrieval: Retrieval

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | Sequence[Hit]:
        return self.hits[place]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One heading of a document and the chunks under it, first and last inclusive."""

    heading_path: tuple[str, ...]
    first_chunk_id: int
    last_chunk_id: int


@dataclass(frozen=True, slots=True)
class Outline:
    publication: Publication
    entries: tuple[OutlineEntry, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk's whole text, read and verified against its hash: the only thing that can be cited.

    ``start`` and ``end`` are character offsets in the document's text. ``context`` repeats what the
    text needs to be understood (a table's header row) and is not citable.
    """

    chunk_id: int
    chunk_index: int
    publication: Publication
    heading_path: tuple[str, ...]
    start: int
    end: int
    text: str
    context: str = ""
