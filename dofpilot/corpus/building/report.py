"""What a build says while it works and when it is done."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

REPORT = "report.json"


class Phase(StrEnum):
    SCANNING = "scanning"
    INDEXING = "indexing"
    FINISHING = "finishing"


@dataclass(frozen=True, slots=True)
class Progress:
    """Totals are those of the tree, refused files included; while scanning they still grow."""

    done_documents: int
    total_documents: int
    done_bytes: int
    total_bytes: int
    phase: Phase


@dataclass(frozen=True, slots=True)
class Rejection:
    """A file that is not in the corpus, and the reason in a sentence for people."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class BuildReport:
    """``ignored`` counts the files that are no Markdown; ``seconds`` is wall time."""

    version: str
    fingerprint: str
    documents: int
    chunks: int
    source_bytes: int
    rejected: tuple[Rejection, ...]
    ignored: int
    seconds: float

    def write(self, directory: Path) -> None:
        text = json.dumps(asdict(self), ensure_ascii=False, indent=2)
        (directory / REPORT).write_text(text + "\n", encoding="utf-8")
