"""A corpus from a tree of gazette documents."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from dofpilot.corpus import builder
from dofpilot.corpus.errors import CorpusError
from dofpilot.corpus.report import REPORT, BuildReport, Phase
from dofpilot.corpus.report import Progress as BuildProgress

SHOWN = 10
PHASES = {Phase.SCANNING: "Buscando", Phase.INDEXING: "Leyendo", Phase.FINISHING: "Terminando"}


class Command(BaseCommand):
    help = "Construye un acervo a partir de un árbol de documentos del Diario Oficial en Markdown."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "tree", type=Path, help="carpeta con AAAA/MM/DDMMAAAA/SEC/NNN_TIPO_AAAAMMDD_SEC_CODIGO.md"
        )
        parser.add_argument(
            "out", type=Path, help="carpeta del acervo; si ya hay uno, lo sustituye al terminar"
        )
        parser.add_argument(
            "--version-name", help="nombre de esta versión del acervo; si falta, el de la carpeta"
        )

    def handle(self, *args: Any, tree: Path, out: Path, version_name: str | None, **options: Any) -> None:
        try:
            report = self._build(tree, out, version_name)
        except CorpusError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{report.documents} documentos y {report.chunks} pasajes en {out}")
        for refused in report.rejected[:SHOWN]:
            self.stderr.write(f"  {refused.path}: {refused.reason}")
        if report.rejected:
            count = len(report.rejected)
            self.stderr.write(f"{count} archivos quedaron fuera; la lista completa está en {out / REPORT}")

    def _build(self, tree: Path, out: Path, version_name: str | None) -> BuildReport:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(file=self.stderr._out)) as bar:
            task = bar.add_task("Leyendo", total=None)

            def show(now: BuildProgress) -> None:
                bar.update(
                    task,
                    description=PHASES[now.phase],
                    completed=now.done_documents,
                    total=now.total_documents,
                )

            return builder.build(tree, out, version=version_name, on_progress=show)
