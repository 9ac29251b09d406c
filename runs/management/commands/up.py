"""Everything on one machine with one command: prepare, start web and worker, stop both on Ctrl-C."""

from __future__ import annotations

import http.client
import socket
import sys
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from dofpilot.access import invitations, people
from dofpilot.access.models import Invitation
from dofpilot.corpus.errors import CorpusUnavailable
from runs.corpus_access import corpus
from runs.provenance import planned_strategy
from runs.work.processes import AlreadyRunning, Group, Stop, manage, only_one

SAMPLE = settings.BASE_DIR / "dofpilot" / "corpus" / "sample"
START_SECONDS = 30
STOP_SECONDS = 5


class Command(BaseCommand):
    help = "Prepara lo que falte y arranca el sitio y el trabajador; Ctrl-C detiene ambos."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            # Two at once would migrate one database together.
            with only_one(Path(settings.DATA_DIR) / "up.lock"):
                self._run()
        except AlreadyRunning as error:
            raise CommandError(str(error)) from None

    def _run(self) -> None:
        _check_port()
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        self._ensure_corpus()
        # Said at once: whatever fails from here on, what can be seen only once has been seen.
        self._say(self._ensure_people())
        connections.close_all()
        self._serve()

    def _ensure_corpus(self) -> None:
        folder = Path(settings.CORPUS)
        if not folder.exists() and folder == settings.DATA_DIR / "corpus":
            self._say(["Construyendo el acervo de muestra…"])
            call_command("build_corpus", str(SAMPLE), str(folder), "--version", "muestra")
        try:
            opened = corpus()
        except CorpusUnavailable as error:
            raise CommandError(
                f"{error}\nConstruye el acervo con: manage.py build_corpus ÁRBOL {folder}"
            ) from None
        try:
            planned_strategy(opened)
        except CorpusUnavailable as error:
            raise CommandError(str(error)) from None

    def _ensure_people(self) -> list[str]:
        """Create the first staff account and invitation; the lines that show them, this once."""
        lines = []
        if password := people.first_staff():
            lines.append(f"Administración  {_address()}admin/  usuario admin  contraseña {password}")
        if not Invitation.objects.exists():
            _invitation, token = invitations.invite(label="Primera invitación")
            lines.append(f"Invitación      {token}")
        if lines:
            return ["", *lines, "Guárdalas: no se vuelven a mostrar.", ""]
        return ["Más invitaciones: .venv/bin/python manage.py invite --label «para quién»"]

    def _serve(self) -> None:
        stop = Stop()
        parts = {"el sitio": Group(_daphne()), "el trabajador": Group(manage("agentworker"))}
        try:
            _wait_until_healthy(stop, parts)
            if not stop.asked:
                self._say([f"dofpilot        {_address()}", "Ctrl-C lo detiene."])
            while not stop.wait(0.5):
                _check_alive(parts)
        finally:
            _stop(list(parts.values()))
        self._say(["dofpilot se detuvo."])

    def _say(self, lines: list[str]) -> None:
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


def _stop(parts: list[Group]) -> None:
    """All at once, within ``STOP_SECONDS``."""
    until = time.monotonic() + STOP_SECONDS
    for part in parts:
        part.terminate()
    for part in parts:
        part.stop(max(0.0, until - time.monotonic()))


def _daphne() -> list[str]:
    listen = ["-b", settings.HOST, "-p", str(settings.PORT)]
    return [sys.executable, "-m", "daphne", "-v", "0", *listen, "dofpilot.asgi:application"]


def _address() -> str:
    return f"http://{_reachable_host()}:{settings.PORT}/"


def _reachable_host() -> str:
    return "127.0.0.1" if settings.HOST == "0.0.0.0" else settings.HOST  # noqa: S104


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
        status = _health()
        if status == http.client.OK:
            return
        if status is not None:
            raise CommandError(f"el sitio responde {status} en /api/v1/health; lo anterior dice por qué.")
        if time.monotonic() > until:
            raise CommandError(f"el sitio no respondió en {START_SECONDS} s")


def _health() -> int | None:
    """The status of the health page, asked as the site's own proxy would; ``None`` while nobody listens."""
    host = settings.ALLOWED_HOSTS[0].lstrip(".") if settings.ALLOWED_HOSTS else "localhost"
    headers = {"Host": "localhost" if host == "*" else host, "X-Forwarded-Proto": "https"}
    connection = http.client.HTTPConnection(_reachable_host(), settings.PORT, timeout=5)
    try:
        connection.request("GET", "/api/v1/health", headers=headers)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
