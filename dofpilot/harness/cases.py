"""Cases of a test set: one reviewed question a line, with its reference answer and gold evidence.

The format is that of the v4 set. ``document_id``, ``chunk_id`` and ``chunk_index`` are ``None`` until a
case is anchored to a corpus; path and quote say where its evidence stands in any corpus.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dofpilot.corpus.types import Section


class Category(StrEnum):
    SINGLE_PASSAGE = "single_passage"
    LIST_ENUMERATION = "list_enumeration"
    TEMPORAL_TRANSITORIO = "temporal_transitorio"
    CROSS_REFERENCE = "cross_reference"
    MULTI_DOCUMENT = "multi_document"
    MONITORING = "monitoring"
    NEGATIVE_FALSE_PREMISE = "negative_false_premise"


class Difficulty(StrEnum):
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Answerability(StrEnum):
    ANSWERABLE = "answerable"
    FALSE_PREMISE = "false_premise"
    UNANSWERABLE = "unanswerable"


Text = Annotated[str, Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Evidence(_Strict):
    """``quote`` is a contiguous run of words of one chunk."""

    chunk_id: int | None
    chunk_index: int | None
    quote: Text


class GoldDocument(_Strict):
    document_id: int | None
    relpath: Text
    publication_date: date
    section: Section
    role: Text
    evidence: Annotated[tuple[Evidence, ...], Field(min_length=1)]


class Case(_Strict):
    id: Text
    category: Category
    question: Annotated[str, Field(min_length=3, max_length=2_000)]
    persona: Text
    difficulty: Difficulty
    as_of: date
    answerability: Answerability
    reference_answer: Text
    required_hops: Annotated[int, Field(ge=1, le=5)]
    gold_documents: tuple[GoldDocument, ...]
    unanswerable_reason: str | None


class InvalidCase(ValueError):
    """A line that is no case; ``line`` counts from 1, ``field`` is a path (``gold_documents.0.role``)."""

    def __init__(self, path: Path, line: int, field: str, reason: str) -> None:
        super().__init__(f"{path}, line {line}, {field}: {reason}")
        self.path, self.line, self.field, self.reason = path, line, field, reason


def read_cases(path: Path) -> tuple[Case, ...]:
    """All cases of a JSONL file. Raises ``InvalidCase`` at the first line at fault, and ``OSError``."""
    cases: dict[str, Case] = {}
    for number, case in _parsed(path):
        if case.id in cases:
            raise InvalidCase(path, number, "id", f"{case.id} stands on an earlier line too")
        cases[case.id] = case
    return tuple(cases.values())


def _parsed(path: Path) -> Iterator[tuple[int, Case]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield number, Case.model_validate(json.loads(line))
        except json.JSONDecodeError as error:
            raise InvalidCase(path, number, f"column {error.colno}", error.msg) from None
        except ValidationError as error:
            fault = error.errors()[0]
            raise InvalidCase(path, number, ".".join(map(str, fault["loc"])), fault["msg"]) from None
