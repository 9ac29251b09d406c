"""What a corpus holds, what its indexes cover, and whether it still is what was built."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from dofpilot.corpus import inspection
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.errors import CorpusError
from dofpilot.corpus.inspection import Verified
from runs.management.corpora import json_text, number_between, opened
from runs.management.corpus_report import Inspected, Report, as_json
from runs.terminal import harmless

VERIFIED = 200


class Command(BaseCommand):
    help = (
        "Muestra qué contiene un acervo y cuánto cubren sus índices, y lee pasajes al azar contra sus "
        "huellas. Termina con 1 si algo está dañado."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("out", type=Path, help="carpeta del acervo hecho con build_corpus")
        parser.add_argument(
            "--verify",
            type=partial(number_between, 0, 1_000_000),
            default=VERIFIED,
            metavar="N",
            help=f"cuántos pasajes al azar se leen contra su huella; {VERIFIED} si falta",
        )
        parser.add_argument(
            "--seed", help="cambia la selección al azar; si falta, un acervo tiene siempre la misma"
        )
        parser.add_argument(
            "--all-files", action="store_true", help="lee además enteros todos los archivos del acervo"
        )
        parser.add_argument("--json", action="store_true", help="todo como JSON")

    def handle(
        self, *args: Any, out: Path, verify: int, seed: str | None, all_files: bool, **options: Any
    ) -> None:
        report = Report(self.stdout._out)
        # First of all: it also says what is wrong with a corpus that does not open.
        files = self._all_files(out) if all_files else None
        try:
            with opened(out) as corpus:
                found = _inspect(out, corpus, verify, seed, files)
        except CommandError:
            if files:
                report.verified(files, "archivos leídos enteros")
            raise
        if options["json"]:
            self.stdout.write(json_text(as_json(found)))
        else:
            report.show(found)
        if not found.is_intact:
            raise CommandError(found.remedy)

    def _all_files(self, out: Path) -> Verified:
        try:
            with _bar(Console(file=self.stderr._out)) as show:
                return inspection.verify_all_files(out, show)
        except CorpusError as error:
            raise CommandError(harmless(str(error))) from None


def _inspect(out: Path, corpus: Corpus, verify: int, seed: str | None, files: Verified | None) -> Inspected:
    manifest = corpus.manifest
    chosen = manifest.fingerprint[:8] if seed is None else seed
    return Inspected(
        directory=out,
        manifest=manifest,
        own_analysis=inspection.analysis_is_ours(manifest),
        sizes=inspection.sizes(out, manifest),
        strategies=corpus.strategies,
        vectors=corpus.vectors,
        contents=inspection.contents(out),
        report=inspection.last_report(out),
        seed=chosen,
        passages=inspection.verify_passages(corpus, out, verify, chosen),
        files=files,
    )


@contextmanager
def _bar(console: Console) -> Iterator[Callable[[int, int], None]]:
    columns = (TextColumn("Leyendo"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
