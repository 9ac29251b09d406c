"""The private recording of a run, as a file that can be replayed."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dofpilot.agent.recording.transcript import write
from runs.management.recordings import in_utf8, recorded_run, stored_transcript
from runs.terminal import harmless

PRIVATE = (
    "Privado: contiene la pregunta y todo lo que respondieron el proveedor y el acervo. "
    "No lo publiques ni lo compartas con quien no administra el sitio."
)


class Command(BaseCommand):
    help = "Escribe la grabación de una investigación que terminó, como JSON Lines. Es privada."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id", metavar="investigación", help="su identificador")
        parser.add_argument(
            "--output", type=Path, metavar="archivo", help="un archivo nuevo, que solo tú puedes leer"
        )

    def handle(self, *args: Any, run_id: str, output: Path | None, **options: Any) -> None:
        in_utf8(self.stdout, self.stderr)
        text = "".join(write(stored_transcript(recorded_run(run_id))))
        self.stderr.write(PRIVATE)
        if output is None:
            self.stdout.write(text, ending="")
        else:
            _write(output, text)


def _write(path: Path, text: str) -> None:
    try:
        # Never in the place of another file, and for its owner alone from the first byte on.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(text.encode())
    except OSError as error:
        raise CommandError(f"«{harmless(str(path))}»: {error.strerror}") from None
