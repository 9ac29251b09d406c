"""Runs that the command line works on by itself, within the same number of places as every worker."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from django.db import transaction

from dofpilot.access.models import User
from runs import admission, lifecycle, presence, queue
from runs.lifecycle import Lease
from runs.models import Claim
from runs.requests import RunRequest
from runs.serial import Turn, serialise


def worker_name() -> str:
    """This process, and when it began: its number may be another's later."""
    return f"{_prefix()}{os.getpid()}:{_began(os.getpid())}"


def admit(evaluator: User, request: RunRequest) -> Lease | None:
    """Admit and claim a question at once; ``None``, and nothing stored, while all places are taken.

    Raises ``Problem``.
    """
    conditions = admission.conditions(pace=0)
    with transaction.atomic():
        # So that nobody else counts the same place as free.
        serialise(Turn.CLAIMING)
        # Where nobody works, those that wait would keep this one waiting for ever.
        if not queue.is_free_for_one_more(others_come_first=bool(presence.working())):
            return None
        return admission.admit_for_console(evaluator, request, worker_name(), conditions)


def end_left_behind() -> None:
    """End the runs of commands that were killed on this machine. Those of others fall silent."""
    ours = Claim.objects.filter(worker__startswith=_prefix())
    for name in set(ours.values_list("worker", flat=True)):
        if not _lives(name):
            lifecycle.interrupt_held(name)


def _prefix() -> str:
    # Two containers may share a host's name, but then not the space of their processes' numbers.
    return f"consola:{socket.gethostname()[:64]}:{_space()}:"


def _space() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink()).removeprefix("pid:")
    except OSError:
        return ""


def _lives(name: str) -> bool:
    number, _, began = name.removeprefix(_prefix()).partition(":")
    return began == _began(int(number)) and _exists(int(number))


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _began(process: int) -> str:
    """When a process began, in ticks since its machine did; empty where that cannot be read (no /proc)."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    # The second field, the command's name, may hold anything; 20 more follow it up to this one.
    return stat.rpartition(")")[2].split()[19]
