"""The public run: one shape for API, page, command line and recordings (DESIGN §10)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dofpilot.agent.errors import FailureCode
from runs import queue
from runs.models import Progress, Run, State, Transition

FAILURES = {
    FailureCode.PROVIDER_UNAVAILABLE: gettext_noop(
        "El modelo no respondió. Inténtalo de nuevo en unos minutos."
    ),
    FailureCode.RATE_LIMITED: gettext_noop("El modelo recibió demasiadas peticiones. Espera unos minutos."),
    FailureCode.PROVIDER_REFUSED: gettext_noop(
        "El modelo rechazó la petición. Avisa a quien administra el sitio."
    ),
    FailureCode.DEADLINE_EXCEEDED: gettext_noop(
        "El modelo tardó demasiado. Inténtalo de nuevo; si se repite, avisa."
    ),
    FailureCode.INTERRUPTED: gettext_noop(
        "El servicio se detuvo durante la investigación. Pregunta de nuevo."
    ),
    FailureCode.CANCELLED: gettext_noop("Cancelaste esta investigación. Puedes preguntar de nuevo."),
    FailureCode.CORPUS_UNAVAILABLE: gettext_noop(
        "No se pudo leer el acervo. Avisa a quien administra el sitio."
    ),
    FailureCode.INTERNAL_ERROR: gettext_noop(
        "Falló algo de nuestro lado. Inténtalo de nuevo; si se repite, avisa."
    ),
}


def public_run(run: Run) -> dict[str, Any]:
    """The whole public run; ``queue`` only while it waits, ``result`` and ``error`` only at its end.

    ``usage`` stands in the ``result``; a run that failed has used something too and has it by itself,
    ``None`` when the provider was not asked or its worker died.
    """
    transitions = {change.state: change for change in run.transitions.all()}
    ended = transitions.get(State.SUCCEEDED) or transitions.get(State.FAILED)
    started = transitions.get(State.STARTED)
    latest = ended or started or transitions[State.QUEUED]
    shown: dict[str, Any] = {
        "run_id": str(run.pk),
        "status": latest.state,
        "question": run.question,
        "as_of": run.as_of.isoformat(),
        "required_hops": run.required_hops,
        "created_at": timestamp(run.created_at),
        "started_at": started and timestamp(started.created_at),
        "completed_at": ended and timestamp(ended.created_at),
        "error": _error(ended),
        "provenance": _provenance(run, ended),
    }
    if latest.state == State.QUEUED and (place := queue.place(run)):
        shown["queue"] = place
    if ended is not None and ended.state == State.SUCCEEDED:
        shown["result"] = _with_wait(ended.payload["result"], run, started)
    elif ended is not None:
        shown["usage"] = ended.payload.get("usage")
    return shown


def public_step(step: Progress) -> dict[str, Any]:
    """One step as the API and the event stream give it."""
    return {
        "sequence": step.sequence,
        "kind": step.kind,
        "created_at": timestamp(step.created_at),
        "payload": step.payload,
    }


def failure_sentence(code: str) -> str:
    """What a failure code means and what to do now, in the reader's language."""
    return _(FAILURES[FailureCode(code)])


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _provenance(run: Run, ended: Transition | None) -> dict[str, Any]:
    """As captured before the run waited, with what its end told: what was really used takes the place of what
    was captured. A run whose worker died told nothing."""
    return {**run.provenance, **(ended.payload.get("provenance", {}) if ended else {})}


def _error(ended: Transition | None) -> dict[str, str] | None:
    if ended is None or not ended.failure:
        return None
    return {"code": ended.failure, "message": failure_sentence(ended.failure)}


def _with_wait(result: dict[str, Any], run: Run, started: Transition | None) -> dict[str, Any]:
    since = started.created_at if started else run.created_at
    # A clock set back while it waited makes no wait negative.
    waited = max(0, round((since - run.created_at).total_seconds() * 1000))
    return {**result, "timing": {"waited_ms": waited, **result["timing"]}}
