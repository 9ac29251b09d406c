"""``manage.py pause REASON``: let no new questions in; everything else goes on."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dofpilot.access.prepared import check_prepared
from runs import pause


class Command(BaseCommand):
    help = "Pone en pausa las preguntas nuevas y dice por qué a quien quiera preguntar."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("reason", metavar="motivo", help="lo leerá quien quiera preguntar")

    def handle(self, *args: Any, **options: Any) -> None:
        check_prepared()
        try:
            changed = pause.pause(options["reason"], by=None)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        if changed:
            self.stdout.write("Las preguntas nuevas están en pausa; lo que está en curso y en la cola sigue.")
        else:
            self.stdout.write("Ya estaban en pausa por ese motivo.")
