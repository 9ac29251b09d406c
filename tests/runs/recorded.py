"""Runs of this process with a provider of the test's choice, and what is recorded of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dofpilot.access.models import User
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings
from runs import admission
from runs.models import Run
from runs.requests import RunRequest
from runs.work import execution
from runs.work.execution import Listener
from tests import cast, scripts

QUESTION = "¿Cuáles son los salarios mínimos generales que rigen en 2026?"


def play(settings: Any, folder: Path, steps: list[dict[str, Any]]) -> None:
    """Answer by these replies from now on."""
    script = folder / f"script-{len(list(folder.iterdir()))}.json"
    scripts.write(script, steps)
    settings.PROVIDER = ProviderSettings(ProviderName.SCRIPTED, script=script)


def answered(who: User, question: str = QUESTION, listener: Listener | None = None) -> Run:
    """A run admitted and executed to its end."""
    request = RunRequest(question=question, as_of=cast.AS_OF.isoformat())
    lease = admission.admit_for_console(who, request, "test")
    execution.execute(lease, listener)
    return lease.run
