"""How a run ended, with all that a person can check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from dofpilot.agent.conversation import Usage
from dofpilot.corpus.types import Passage, Publication

MARKER = re.compile(r"(?<![ \t])[ \t]*\[(?P<chunk_id>[0-9]{1,19})\]")
"""One use of a passage in an answer's text (see ``Answer``), with the blanks before it."""


class PremiseStatus(StrEnum):
    SUPPORTED = "supported"
    FALSE = "false"
    UNCLEAR = "unclear"


class StopReason(StrEnum):
    """``ANSWERED`` is the only one with an accepted answer."""

    ANSWERED = "answered"
    TURN_LIMIT = "turn_limit"
    TOOL_LIMIT = "tool_limit"
    TIME_LIMIT = "time_limit"


class FigureKind(StrEnum):
    AMOUNT = "amount"
    PERCENTAGE = "percentage"
    DATE = "date"
    NORM = "norm"
    ARTICLE = "article"
    NUMBER = "number"


class FigureStatus(StrEnum):
    FOUND = "found"
    NOT_FOUND = "not_found"


class RequirementKind(StrEnum):
    YEAR = "year"
    RANGE = "range"
    PERIODICITY = "periodicity"
    NUMERAL = "numeral"
    TRANSITORY = "transitory"
    NORM = "norm"
    PLAN = "plan"
    PUBLICATION_DATE = "publication_date"
    HOPS = "hops"


class RemarkCode(StrEnum):
    """Why a draft was sent back, and what a person should know about the answer that was kept.

    A kept answer's faults keep their code, but for what an uncovered question lacks: that is one
    ``INCOMPLETE``. A limit's code is that of its ``StopReason``.
    """

    NO_TEXT = "no_text"
    NOT_JSON = "not_json"
    CUT = "cut"
    NO_CITATIONS = "no_citations"
    UNREAD_CITATIONS = "unread_citations"
    INVALID_CITATIONS = "invalid_citations"
    FEW_DOCUMENTS = "few_documents"
    NOT_COVERED = "not_covered"
    NO_CORRECTION = "no_correction"
    FIGURES_NOT_FOUND = "figures_not_found"
    TURN_LIMIT = "turn_limit"
    TOOL_LIMIT = "tool_limit"
    TIME_LIMIT = "time_limit"
    NO_ANSWER = "no_answer"
    INCOMPLETE = "incomplete"
    FALSE_PREMISE = "false_premise"
    DROPPED_CITATIONS = "dropped_citations"
    PAST_CUTOFF = "past_cutoff"
    WORDS_ALONE = "words_alone"
    PARTIAL_VECTORS = "partial_vectors"
    VECTORS_GONE = "vectors_gone"


class FaultCode(StrEnum):
    """What keeps a draft from being the object asked for; ``NOT_JSON`` has them under ``fault``."""

    NO_OBJECT = "no_object"
    BROKEN_OBJECT = "broken_object"
    MISSING_KEY = "missing_key"
    ANSWER_NO_TEXT = "answer_no_text"
    CITATIONS_NO_LIST = "citations_no_list"
    UNKNOWN_PREMISE = "unknown_premise"


class RejectionReason(StrEnum):
    """``UNKNOWN``: no tool of this run returned it; ``NOT_READ``: one did, and it was never read;
    ``REPEATED``: it is in the list of citations already; ``INVALID``: it is no positive whole number."""

    INVALID = "invalid"
    UNKNOWN = "unknown"
    NOT_READ = "not_read"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class Rejection:
    """An id that the model cited and that does not count, as it wrote it."""

    id: str
    reason: RejectionReason


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as displayed.

    ``text`` marks each use of a passage as ``[chunk_id]``; only ids of ``citations`` appear so.
    ``citations`` keeps the order of first use, without repeats. ``rejected_citations`` are never
    displayed as citations.
    """

    text: str
    citations: tuple[int, ...]
    premise_status: PremiseStatus
    rejected_citations: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of the answer. ``start`` and ``end`` are character offsets in the answer's text;
    ``chunk_id`` with ``chunk_start`` and ``chunk_end`` tell where a cited passage says it."""

    text: str
    kind: FigureKind
    value: str
    start: int
    end: int
    status: FigureStatus
    chunk_id: int | None = None
    chunk_start: int | None = None
    chunk_end: int | None = None


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something that the question itself demands of the answer's sources; ``text`` is Spanish."""

    kind: RequirementKind
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """``text`` is a finished Spanish sentence, or what goes into one for a ``FaultCode``; ``values`` are what
    its template was filled with: texts, numbers, under ``requirement`` one ``Requirement`` or several, and
    under ``fault`` several ``Remark``."""

    code: RemarkCode | FaultCode
    text: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Coverage:
    """``met_by``: for each of ``required``, in its order, the ids of the cited passages that meet it; none
    for one that is missing."""

    required: tuple[Requirement, ...]
    missing: tuple[Requirement, ...]
    met_by: tuple[tuple[int, ...], ...]

    @property
    def complete(self) -> bool:
        return not self.missing


@dataclass(frozen=True, slots=True)
class Cutoff:
    """``latest_seen``: latest publication date among everything that any tool returned."""

    as_of: date
    latest_seen: date | None

    @property
    def respected(self) -> bool:
        return self.latest_seen is None or self.latest_seen <= self.as_of


@dataclass(frozen=True, slots=True)
class Verification:
    citations_read: bool
    hops_met: bool
    coverage_met: bool
    premise_correction: bool
    figures: tuple[Figure, ...]
    cutoff: Cutoff


@dataclass(frozen=True, slots=True)
class DocumentUse:
    """What a run did with one document: three different things, never one word for all."""

    publication: Publication
    found: bool
    read: bool
    cited: bool


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds."""

    worked_ms: int
    provider_ms: int
    tools_ms: int


@dataclass(frozen=True, slots=True)
class TurnSpent:
    """What one turn took; its tool's time is the tool's that its reply asked for."""

    usage: Usage
    provider_ms: int
    tools_ms: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """``answer`` is ``None`` when a limit was reached before the model offered any text. ``usage`` is the sum
    over ``turns``, of which the last may have brought no reply.

    ``passages`` are all that were read, cited first in citation order, then in reading order.
    ``vector_used``: at least one search of the run compared vectors.
    """

    answer: Answer | None
    passages: tuple[Passage, ...]
    documents: tuple[DocumentUse, ...]
    coverage: Coverage
    verification: Verification
    stop_reason: StopReason
    warnings: tuple[Remark, ...]
    generative: bool
    usage: Usage
    turns: tuple[TurnSpent, ...]
    tool_calls: int
    timing: Timing
    vector_used: bool
