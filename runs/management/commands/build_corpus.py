"""A corpus from a tree of gazette documents."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from dofpilot.corpus.building import builder
from dofpilot.corpus.building.report import REPORT, BuildReport, Phase
from dofpilot.corpus.building.report import Progress as BuildProgress
from dofpilot.corpus.errors import CorpusError
from runs.terminal import harmless

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
            raise CommandError(harmless(str(error))) from None
        self.stdout.write(harmless(_summary(report, out)))
        for refused in report.rejected[:SHOWN]:
            self.stderr.write(harmless(f"  {refused.path}: {refused.reason}"))
        if report.rejected:
            self.stderr.write(harmless(_left_out(len(report.rejected), out / REPORT)))

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


def _summary(report: BuildReport, out: Path) -> str:
    documents = _counted(report.documents, "documento", "documentos")
    return f"{documents} y {_counted(report.chunks, 'pasaje', 'pasajes')} en {out}"


def _left_out(count: int, report: Path) -> str:
    text = _counted(count, "archivo quedó fuera", "archivos quedaron fuera")
    return f"{text}; la lista completa está en {report}"


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
