"""How far a build is: a bar on a terminal, a line now and then anywhere else."""

from __future__ import annotations

import time
from types import TracebackType
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from dofpilot.corpus.building.report import Phase
from dofpilot.corpus.building.report import Progress as BuildProgress
from runs.management.pace import Pace

PHASES = {
    Phase.SCANNING: "Buscando",
    Phase.PREPARING: "Preparando",
    Phase.INDEXING: "Leyendo",
    Phase.FINISHING: "Terminando",
}
REFRESH_SECONDS = 0.1
LINE_SECONDS = 30.0
"""Between two lines where there is no bar: a log is read later."""


class BuildMeter:
    """Give ``show`` every step; only some of them are drawn."""

    def __init__(self, stream: IO[str]) -> None:
        self._console = Console(file=stream, highlight=False, markup=False, soft_wrap=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[text]}"))
        self._bar = Progress(*columns, TimeElapsedColumn(), console=self._console)
        self._task = self._bar.add_task(PHASES[Phase.SCANNING], total=None, text="")
        self._pace = Pace()
        self._last: BuildProgress | None = None
        self._drawn: BuildProgress | None = None
        self._drawn_at = 0.0

    def __enter__(self) -> BuildMeter:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._last and self._last is not self._drawn:
            self._draw(self._last)
        if self._console.is_terminal:
            self._bar.stop()

    def show(self, now: BuildProgress) -> None:
        entered = self._last is None or self._last.phase != now.phase
        if entered and now.phase == Phase.PREPARING and now.resumed_documents:
            self._console.print(_resumed(now))
        if now.phase == Phase.INDEXING:
            self._pace.report(time.monotonic(), now.done_bytes)
        self._last = now
        if entered or time.monotonic() - self._drawn_at > self._interval:
            self._draw(now)

    @property
    def _interval(self) -> float:
        return REFRESH_SECONDS if self._console.is_terminal else LINE_SECONDS

    def _draw(self, now: BuildProgress) -> None:
        self._drawn, self._drawn_at = now, time.monotonic()
        told = _told(now, self._pace.rate(self._drawn_at))
        text = f"{now.done_documents:,}/{now.total_documents:,} {told}".rstrip()
        if self._console.is_terminal:
            done, total = (now.done_bytes, now.total_bytes) if now.phase != Phase.SCANNING else (0, None)
            self._bar.update(
                self._task, description=PHASES[now.phase], completed=done, total=total, text=text
            )
        else:
            self._console.print(f"{PHASES[now.phase]} {text}")


def _told(now: BuildProgress, rate: float | None) -> str:
    """Rate in bytes a second and time left; empty before there is a rate."""
    if not rate:
        return ""
    left = (now.total_bytes - now.done_bytes) / rate
    told = f", faltan {_duration(left)}" if left and now.phase == Phase.INDEXING else ""
    return f"· {rate / 1e6:.1f} MB/s{told}"


def counted(number: int, one: str, many: str) -> str:
    """``1 documento``, ``20,000 documentos``."""
    return f"{number:,} {one if number == 1 else many}"


def _resumed(now: BuildProgress) -> str:
    total = counted(now.total_documents, "documento", "documentos")
    return f"Se reanuda: {now.resumed_documents:,} de {total} ya {_were(now.resumed_documents)}."


def _were(number: int) -> str:
    return "estaba" if number == 1 else "estaban"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
