"""A question from the command line: the same run as from the page, answered by this process."""

from __future__ import annotations

import json
import signal
import sys
import time
from argparse import ArgumentParser
from contextlib import suppress
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import Error

from dofpilot.access.people import console_user
from dofpilot.access.prepared import check_prepared
from dofpilot.access.problems import Problem
from runs import waking
from runs.lifecycle import Lease
from runs.models import Run, State
from runs.public import public_run
from runs.requests import InvalidInput, RunRequest, parse
from runs.terminal import Terminal
from runs.work import console, execution
from runs.work.silence import Silence

OPTIONS = {"question": "pregunta", "as_of": "--as-of", "required_hops": "--hops"}
BAD_INPUT, CANCELLED = 2, 130
WAIT_SECONDS = 0.5
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Command(BaseCommand):
    help = "Investiga una pregunta y muestra cada paso y la respuesta con sus fuentes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question", metavar="pregunta")
        parser.add_argument(
            "--as-of",
            help="usa solo publicaciones hasta esta fecha (AAAA-MM-DD); si falta, todas las del acervo",
        )
        parser.add_argument("--hops", help="cuántos documentos distintos debe citar la respuesta, de 1 a 5")
        parser.add_argument(
            "--json", action="store_true", help="el resultado público como JSON; los pasos, en stderr"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        request = _request(options)
        check_prepared()
        terminal = Terminal(sys.stderr if options["json"] else sys.stdout)
        # Between claim and ``_execute`` nothing may end this process, or a claimed run would be left behind.
        ending = Ending()
        with terminal:
            lease = _admit(request, terminal, ending)
            _execute(lease, terminal, ending)
        shown = public_run(Run.objects.get(pk=lease.run.pk))
        if options["json"]:
            self.stdout.write(json.dumps(shown, ensure_ascii=False, indent=2))
        if shown["status"] != State.SUCCEEDED:
            error = shown["error"]
            raise CommandError(f"No se pudo terminar ({error['code']}). {error['message']}")
        if not options["json"]:
            terminal.answer(shown)


class Ending:
    """Signals that end this process, held back until they may."""

    def __init__(self) -> None:
        self._held, self._came = True, 0
        for number in SIGNALS:
            signal.signal(number, self._receive)
        # For git, which a Ctrl-C reaches too. Not enough for this process: libraries have threads of their
        # own from the moment they are imported, and a signal comes by any thread that does not block it.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)

    def may_come(self) -> None:
        """Raise what an ending raises if one came meanwhile, and from now on at once."""
        self._held = False
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        if self._came:
            self._end(self._came)

    def pause(self, seconds: float) -> None:
        """Wait, and let an ending come meanwhile."""
        self.may_come()
        time.sleep(seconds)
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        self._held = True

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        self._came = self._came or number
        if not self._held:
            self._end(number)

    def _end(self, number: int) -> None:
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(128 + number)


def _request(options: dict[str, Any]) -> RunRequest:
    given = {"question": options["question"], "as_of": options["as_of"], "required_hops": options["hops"]}
    try:
        return parse({field: value for field, value in given.items() if value is not None})
    except InvalidInput as error:
        faults = "\n".join(f"{OPTIONS[field]}: {message}" for field, message in error.errors.items())
        raise CommandError(faults, returncode=BAD_INPUT) from None


def _admit(request: RunRequest, terminal: Terminal, ending: Ending) -> Lease:
    """As soon as there is a place. Nothing is stored before, so nothing is lost by leaving."""
    console.end_left_behind()
    silence = Silence()
    lease = _try(request)
    if lease is None:
        terminal.waiting()
    while lease is None:
        _wait(ending)
        # Where no supervisor works, nobody else frees the place of a worker that is gone.
        silence.end()
        lease = _try(request)
    return lease


def _try(request: RunRequest) -> Lease | None:
    try:
        return console.admit(console_user(), request)
    except Problem as problem:
        cause = f" [{problem.__cause__}]" if problem.__cause__ else ""
        raise CommandError(f"{problem.detail}{cause}") from None


def _wait(ending: Ending) -> None:
    try:
        ending.pause(WAIT_SECONDS)
    except KeyboardInterrupt:
        raise CommandError("No esperaste; no se guardó nada.", returncode=CANCELLED) from None


def _execute(lease: Lease, terminal: Terminal, ending: Ending) -> None:
    try:
        ending.may_come()
        terminal.asked(lease.run)
        execution.execute(lease, terminal.step)
    except BaseException as end:
        # It may have come before ``execute`` could see to it.
        execution.give_up(lease, end)
        if isinstance(end, KeyboardInterrupt):
            raise CommandError("Cancelaste la investigación.", returncode=CANCELLED) from None
        raise
    finally:
        # The place it had may be another's now; a worker's sweep finds that out too.
        with suppress(Error):
            waking.wake_if_needed()
