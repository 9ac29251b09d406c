"""A corpus from a tree of gazette documents."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dofpilot.corpus.building import builder
from dofpilot.corpus.building.report import REPORT, BuildReport, Rejection
from dofpilot.corpus.building.workshop import saved_documents
from dofpilot.corpus.errors import CorpusError, InvalidRequest
from runs.management.corpora import jobs
from runs.management.meter import BuildMeter, counted
from runs.terminal import harmless

INTERRUPTED = 130
CAUSES_SHOWN = 10
FILES_SHOWN = 3
"""Of each cause."""

_PARTICULARS = re.compile(r"((?<=«)[^»]*(?=»)|(?<![-\w])[0-9]+)")
"""What may differ between two files that are left out for the same reason; every other piece of a split."""


class Command(BaseCommand):
    help = (
        "Construye un acervo a partir de un árbol de documentos del Diario Oficial en Markdown. "
        "Si se interrumpe, la misma orden continúa donde iba."
    )

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        # Django's own --version, which tells Django's, gives way to the corpus'.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **options)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "tree", type=Path, help="carpeta con AAAA/MM/DDMMAAAA/SEC/NNN_TIPO_AAAAMMDD_SEC_CODIGO.md"
        )
        parser.add_argument(
            "out", type=Path, help="carpeta del acervo; si ya hay uno, lo sustituye al terminar"
        )
        parser.add_argument(
            "--jobs", type=jobs, metavar="N", help="procesos que trabajan; si falta, uno por núcleo"
        )
        parser.add_argument(
            "--update",
            action="store_true",
            help="agrega al acervo los documentos que le faltan y deja lo demás como está; "
            "el árbol puede tener solo los días nuevos",
        )
        parser.add_argument(
            "--version",
            type=_version,
            metavar="NOMBRE",
            help="nombre de esta versión del acervo; si falta, se le da uno",
        )

    def handle(self, *args: Any, tree: Path, out: Path, **options: Any) -> None:
        chosen = {name: options[name] for name in ("jobs", "update", "version")}
        try:
            with BuildMeter(self.stderr._out) as meter:
                report = builder.build(tree, out, on_progress=meter.show, **chosen)
        except CorpusError as error:
            raise CommandError(harmless(str(error))) from None
        except KeyboardInterrupt:
            raise CommandError(_interrupted(saved_documents(out)), returncode=INTERRUPTED) from None
        for line in _summary(report, out, update=chosen["update"], version=chosen["version"]):
            self.stdout.write(harmless(line))
        for line in [*_refusals(report.rejected, out / REPORT), *_leftovers(report.leftover)]:
            self.stderr.write(harmless(line))


def _version(text: str) -> str:
    try:
        builder.check_version(text)
    except InvalidRequest as error:
        raise ArgumentTypeError(error.reason) from None
    return text


def _interrupted(saved: int) -> str:
    if not saved:
        return "Interrumpido sin nada a medias que guardar: la misma orden empieza de nuevo."
    kept = counted(saved, "documento ya guardado", "documentos ya guardados")
    return f"Interrumpido; la misma orden continúa con {kept}. El acervo, si lo había, está como estaba."


def _summary(report: BuildReport, out: Path, *, update: bool, version: str | None) -> Iterator[str]:
    chunks = counted(report.chunks, "pasaje", "pasajes")
    yield f"{counted(report.documents, 'documento', 'documentos')} y {chunks} en {out}"
    if update and not report.added:
        kept = f" y con su versión, «{report.version}»" if version not in (None, report.version) else ""
        yield f"No hay documentos nuevos: el acervo se queda como estaba{kept}."
        return
    if report.added < report.documents:
        added = counted(report.added, "documento nuevo", "documentos nuevos")
        yield f"{added}; los demás ya estaban y conservan sus identificadores"
    ratio = report.disk_bytes / report.source_bytes
    yield (
        f"Versión {report.version}: {report.disk_bytes / 1e6:,.1f} MB en disco, "
        f"{ratio:.2f} por cada byte de los documentos, en {report.seconds:,.1f} s"
    )


def _refusals(rejected: tuple[Rejection, ...], report: Path) -> Iterator[str]:
    if not rejected:
        return
    left_out = counted(len(rejected), "archivo quedó fuera", "archivos quedaron fuera")
    yield f"{left_out}; la lista completa está en {report}"
    by_cause = defaultdict[tuple[str, ...], list[Rejection]](list)
    for refused in rejected:
        by_cause[tuple(_PARTICULARS.split(refused.reason)[::2])].append(refused)
    for files in islice(sorted(by_cause.values(), key=len, reverse=True), CAUSES_SHOWN):
        if len(files) > 1:
            yield f"{len(files):,} archivos porque {_shared(files)}:"
        yield from (f"  {refused.path}: {refused.reason}" for refused in files[:FILES_SHOWN])
    yield from _faults(rejected)


def _shared(files: list[Rejection]) -> str:
    """Their reason, with dots for what is not the same in all of them."""
    pieces = [set(piece) for piece in zip(*(_PARTICULARS.split(file.reason) for file in files), strict=True)]
    return "".join(piece.pop() if len(piece) == 1 else "…" for piece in pieces)


def _leftovers(leftover: str) -> Iterator[str]:
    if leftover:
        yield f"El acervo anterior no se pudo borrar: quedó en «{leftover}» y ya no sirve; bórralo."


def _faults(rejected: Iterable[Rejection]) -> Iterator[str]:
    if faults := sum(refused.fault for refused in rejected):
        files = counted(faults, "archivo quedó fuera", "archivos quedaron fuera")
        yield f"ATENCIÓN: {files} por un error de dofpilot, no por su contenido; avisa a quien lo mantiene."
