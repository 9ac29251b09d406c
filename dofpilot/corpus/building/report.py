"""What a build says while it works and when it is done."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from dofpilot.corpus.sources.tree import SourceFile

REPORT = "report.json"


class Phase(StrEnum):
    SCANNING = "scanning"
    PREPARING = "preparing"
    INDEXING = "indexing"
    FINISHING = "finishing"


@dataclass(frozen=True, slots=True)
class Progress:
    """Totals are those of the files to read, refused ones included; while scanning they still grow.

    ``resumed_documents`` of the done ones, with ``resumed_bytes``, were made by an earlier build that was
    interrupted.
    """

    done_documents: int
    total_documents: int
    done_bytes: int
    total_bytes: int
    phase: Phase
    resumed_documents: int = 0
    resumed_bytes: int = 0


OnProgress = Callable[[Progress], None]


class Meter:
    """Counts what is found and done, and tells after every step."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self._on_progress = on_progress
        self.restart()

    def restart(self) -> None:
        """Nothing was found or done yet."""
        self._done = self._total = self._resumed = (0, 0)
        self._phase = Phase.SCANNING

    def found(self, file: SourceFile) -> None:
        self._total = _plus(self._total, file.size)
        self._tell()

    def resumed(self, file: SourceFile) -> None:
        """Found, and done by the build that this one goes on with."""
        self._resumed = _plus(self._resumed, file.size)
        self._done = _plus(self._done, file.size)
        self.found(file)

    def done(self, file: SourceFile) -> None:
        self._done = _plus(self._done, file.size)
        self._tell()

    def enter(self, phase: Phase) -> None:
        self._phase = phase
        self._tell()

    def _tell(self) -> None:
        if self._on_progress:
            counts = (self._done[0], self._total[0], self._done[1], self._total[1])
            self._on_progress(Progress(*counts, self._phase, *self._resumed))


def _plus(counted: tuple[int, int], size: int) -> tuple[int, int]:
    return counted[0] + 1, counted[1] + size


@dataclass(frozen=True, slots=True)
class Rejection:
    """A file that is not in the corpus, and the reason in a sentence for people.

    ``fault`` says that the reason lies in dofpilot and not in the file.
    """

    path: str
    reason: str
    fault: bool = False


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What came of a build: the corpus as it is now, and what this build did to it.

    ``added`` documents of the corpus were put there by this build, ``resumed`` of them before it was
    interrupted; ``present`` files were in the corpus already. ``ignored`` counts the files that are no
    Markdown, ``disk_bytes`` the size of the corpus without its vectors; ``seconds`` is wall time.
    ``leftover`` is where the corpus that was replaced still is when it could not be deleted; nobody knows
    yet when the report is written.
    """

    version: str
    fingerprint: str
    documents: int
    chunks: int
    source_bytes: int
    disk_bytes: int
    added: int
    resumed: int
    present: int
    rejected: tuple[Rejection, ...]
    ignored: int
    seconds: float
    leftover: str = ""

    def write(self, directory: Path) -> None:
        """In one step: the corpus may be in use, and its last report worth reading."""
        text = json.dumps(asdict(self), ensure_ascii=False, indent=2)
        made = directory / f".{REPORT}.new"
        made.write_text(text + "\n", encoding="utf-8")
        made.replace(directory / REPORT)
