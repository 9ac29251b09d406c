"""A run executed again from its recording, with neither provider nor corpus."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dofpilot.access.prepared import check_prepared
from dofpilot.agent.recording.transcript import Transcript, TranscriptError, load
from dofpilot.corpus.text.shortening import shorten
from runs.management.meter import counted
from runs.management.recordings import BAD_INPUT, in_utf8, known_run, recorded_run, stored_transcript
from runs.models import Run
from runs.replays import Difference, Replayed, again, difference
from runs.terminal import harmless

SHOWN = 300


class Command(BaseCommand):
    help = (
        "Ejecuta otra vez una investigación a partir de su grabación, sin proveedor ni acervo, y la compara "
        "con lo guardado, salvo los tiempos. Termina con 1 si algo difiere."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("run_id", nargs="?", metavar="investigación", help="su identificador")
        source.add_argument("--file", type=Path, metavar="archivo", help="lo que escribió «transcript»")

    def handle(self, *args: Any, run_id: str | None, file: Path | None, **options: Any) -> None:
        in_utf8(self.stdout, self.stderr)
        if run_id is not None:
            run = recorded_run(run_id)
            self._replay(stored_transcript(run), run)
        elif file is not None:
            check_prepared()
            for transcript in _of_file(file):
                self._replay(transcript, known_run(transcript.header.run_id))

    def _replay(self, transcript: Transcript, run: Run | None) -> None:
        """``run``: what is stored here of it, if anything is."""
        replayed = again(transcript)
        name = harmless(transcript.header.run_id)
        if run and (found := difference(run, replayed)):
            raise CommandError(f"{name}: {_told(found)}{_reason(replayed)}")
        if replayed.diverged:
            raise CommandError(f"{name}: se apartó de su grabación{_reason(replayed)}")
        self.stdout.write(f"{name}: {_same(transcript, replayed, compared=run is not None)}")


def _of_file(path: Path) -> list[Transcript]:
    name = harmless(str(path))
    try:
        return load(path)
    except OSError as error:
        raise CommandError(f"«{name}»: {error.strerror}", returncode=BAD_INPUT) from None
    except TranscriptError as error:
        raise CommandError(f"«{name}» no es una grabación: {error}", returncode=BAD_INPUT) from None


def _told(found: Difference) -> str:
    stored, repeated = (harmless(shorten(text, SHOWN)) for text in (found.stored, found.again))
    return f"difiere en {harmless(found.where)}\n  guardado: {stored}\n  repetido: {repeated}"


def _reason(replayed: Replayed) -> str:
    return f"\n  {harmless(shorten(replayed.diverged, SHOWN))}" if replayed.diverged else ""


def _same(transcript: Transcript, replayed: Replayed, *, compared: bool) -> str:
    failure, count = transcript.ending.failure, len(replayed.steps)
    steps = counted(count, "paso", "pasos")
    if not compared:
        how = f"termina igual ({failure})" if failure else "termina con una respuesta"
        return f"repetida en {steps}, {how}; aquí no hay nada guardado con que compararla."
    end = f"el desenlace ({failure})" if failure else "la respuesta"
    return f"repetida sin proveedor ni acervo; {steps} y {end}, idénticos."
