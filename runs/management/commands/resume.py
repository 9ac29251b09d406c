"""``manage.py resume``: let new questions in again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from dofpilot.access.prepared import check_prepared
from runs import pause


class Command(BaseCommand):
    help = "Vuelve a aceptar preguntas nuevas."

    def handle(self, *args: Any, **options: Any) -> None:
        check_prepared()
        if pause.resume(by=None):
            self.stdout.write("Se aceptan preguntas nuevas.")
        else:
            self.stdout.write("No estaban en pausa.")
