"""Everything on one machine with one command: prepare, start web and worker, stop both on Ctrl-C."""

from __future__ import annotations

import secrets
import socket
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from dofpilot.access import invitations
from dofpilot.access.models import Invitation, User
from runs.processes import Group, Stop, manage

SAMPLE = settings.BASE_DIR / "dofpilot" / "corpus" / "sample"
START_SECONDS = 30
STOP_SECONDS = 5


class Command(BaseCommand):
    help = "Prepara lo que falte y arranca el sitio y el trabajador; Ctrl-C detiene ambos."

    def handle(self, *args: Any, **options: Any) -> None:
        _check_port()
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        self._ensure_corpus()
        first_sight = self._ensure_people()
        connections.close_all()
        self._serve(first_sight)

    def _ensure_corpus(self) -> None:
        corpus = Path(settings.CORPUS)
        if (corpus / "manifest.json").exists():
            return
        if corpus != settings.DATA_DIR / "corpus":
            raise CommandError(f"DOFPILOT_CORPUS: {corpus} no es un acervo; constrúyelo con build_corpus.")
        self.stdout.write("Construyendo el acervo de muestra…")
        call_command("build_corpus", str(SAMPLE), str(corpus), "--version-name", "muestra")

    def _ensure_people(self) -> list[str]:
        """Create the first staff account and invitation; returns the lines that show them, once."""
        lines = []
        if not User.objects.filter(is_staff=True).exists():
            password = secrets.token_urlsafe(12)
            User.objects.create_superuser("admin", password=password)
            lines.append(f"Administración  {_address()}admin/  usuario admin  contraseña {password}")
        if not Invitation.objects.exists():
            _invitation, token = invitations.invite(label="Primera invitación")
            lines.append(f"Invitación      {token}")
        if lines:
            lines.append("Guárdalas: no se vuelven a mostrar.")
        else:
            lines.append("Más invitaciones: .venv/bin/python manage.py invite --label «para quién»")
        return lines

    def _serve(self, first_sight: list[str]) -> None:
        stop = Stop()
        web = Group(_daphne())
        worker = Group(manage("agentworker"))
        parts = {"el sitio": web, "el trabajador": worker}
        try:
            _wait_until_healthy(stop, parts)
            self.stdout.write(
                "\n".join(["", f"dofpilot         {_address()}", *first_sight, "Ctrl-C lo detiene.", ""])
            )
            self.stdout.flush()
            while not stop.wait(0.5):
                _check_alive(parts)
        finally:
            for part in parts.values():
                part.stop(STOP_SECONDS)
        self.stdout.write("dofpilot se detuvo.")


def _daphne() -> list[str]:
    listen = ["-b", settings.HOST, "-p", str(settings.PORT)]
    return [sys.executable, "-m", "daphne", "-v", "0", *listen, "dofpilot.asgi:application"]


def _address() -> str:
    return f"http://{settings.HOST}:{settings.PORT}/"


def _check_port() -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.HOST, settings.PORT))
        except OSError as error:
            raise CommandError(
                f"DOFPILOT_PORT: el puerto {settings.PORT} no está libre ({error.strerror}). "
                "Elige otro, por ejemplo: DOFPILOT_PORT=8001 make up"
            ) from None


def _check_alive(parts: dict[str, Group]) -> None:
    for name, part in parts.items():
        if (code := part.exit_code()) is not None:
            raise CommandError(f"{name} terminó con código {code}; lo anterior dice por qué.")


def _wait_until_healthy(stop: Stop, parts: dict[str, Group]) -> None:
    until = time.monotonic() + START_SECONDS
    while not stop.wait(0.1):
        _check_alive(parts)
        try:
            with urllib.request.urlopen(f"{_address()}api/v1/health", timeout=2):  # noqa: S310
                return
        except urllib.error.HTTPError as error:
            raise CommandError(f"el sitio responde {error.code} en /api/v1/health") from None
        except OSError:
            if time.monotonic() > until:
                raise CommandError(f"el sitio no respondió en {START_SECONDS} s") from None
