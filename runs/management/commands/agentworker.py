"""The worker: one per machine and data directory."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from runs.work.processes import AlreadyRunning, Stop
from runs.work.supervisor import supervise


class Command(BaseCommand):
    help = "Responde las preguntas de la cola hasta que se le pide parar (SIGTERM o Ctrl-C)."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            supervise(Stop())
        except AlreadyRunning as error:
            raise CommandError(str(error)) from None
