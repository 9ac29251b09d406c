"""Private recordings deleted: that of one run, or those of all that were asked some time ago."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from dofpilot.access.prepared import check_prepared
from runs import lifecycle
from runs.management.corpora import said_size
from runs.management.meter import counted
from runs.management.recordings import recorded_run
from runs.models import Claim, Run, RunQuerySet
from runs.transcripts import Stored, stored

DAYS_MAX = 36_500


class Command(BaseCommand):
    help = (
        "Borra la grabación de una investigación que terminó, o las de todas las que se pidieron hace más de "
        "unos días. Sus pasos y respuestas se quedan."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("run_id", nargs="?", metavar="investigación", help="su identificador")
        which.add_argument("--older-than", type=_days, metavar="días", help="las pedidas antes; 0 son todas")
        parser.add_argument("--yes", action="store_true", help="no pregunta antes de borrar")

    def handle(
        self, *args: Any, run_id: str | None, older_than: int | None, yes: bool, **options: Any
    ) -> None:
        check_prepared()
        chosen = _one(run_id) if run_id is not None else _older_than(older_than or 0)
        found = stored(chosen)
        if not found.pieces:
            self.stdout.write("No hay ninguna grabación que borrar.")
            return
        if not yes and not _confirmed(found):
            raise CommandError("No se borró nada.")
        pieces = lifecycle.forget(chosen)
        self.stdout.write(f"Se borró: {_told(found.runs, pieces, found.bytes)}.")


def _days(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > DAYS_MAX:
        raise ArgumentTypeError(f"«{text}» no es un número de días de 0 a {DAYS_MAX:,}")
    return int(text)


def _one(run_id: str) -> RunQuerySet:
    run = recorded_run(run_id)
    if Claim.objects.filter(run=run).exists():
        raise CommandError(f"La investigación {run.pk} no ha terminado: todavía se graba.")
    return Run.objects.filter(pk=run.pk)


def _older_than(days: int) -> RunQuerySet:
    return Run.objects.filter(created_at__lt=timezone.now() - timedelta(days=days))


def _confirmed(found: Stored) -> bool:
    told = _told(found.runs, found.pieces, found.bytes)
    try:
        answer = input(f"Se va a borrar: {told}. No hay vuelta atrás. ¿Seguir? [s/N] ")
    except EOFError:
        return False
    return answer.strip().lower() in ("s", "si", "sí")


def _told(runs: int, pieces: int, volume: int) -> str:
    recordings = counted(runs, "grabación", "grabaciones")
    return f"{recordings}, {counted(pieces, 'pieza', 'piezas')}, {said_size(volume)}"
