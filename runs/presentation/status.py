"""The status line: where a run is, how long it has waited and worked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from runs.models import Run, State
from runs.presentation import formats
from runs.presentation.steps import steps_of
from runs.public import public_run


@dataclass(frozen=True, slots=True)
class Status:
    """``steps`` and ``seconds`` are what the page goes on counting while the run works."""

    state: str
    text: str
    steps: int = 0
    seconds: int = 0

    @property
    def active(self) -> bool:
        return self.state in (State.QUEUED, State.STARTED)


def status_of(run: Mapping[str, Any], steps: int = 0) -> Status:
    """``run`` is a public run, ``steps`` how many its log shows."""
    state = run["status"]
    if state == State.QUEUED:
        return Status(state, _queued(run.get("queue")))
    worked = _seconds(run["started_at"] or run["created_at"], run["completed_at"])
    seconds = round(worked)
    if state == State.STARTED:
        text = _("Investigando · paso {n} · {t} s").format(n=steps, t=seconds)
        return Status(state, text, steps, seconds)
    return Status(state, _ended(run, worked), steps, seconds)


def render_status(run: Run, language: str) -> str:
    """The HTML of a run's status line, in one language."""
    with translation.override(language):
        steps = len(steps_of(run.progress.order_by("sequence")))
        return render_to_string("runs/_status_line.html", {"status": status_of(public_run(run), steps)})


def _queued(place: Mapping[str, Any] | None) -> str:
    if place is None:
        return _("En la cola: tu turno está por comenzar.")
    if place["wait_seconds"] is None:
        words = _("En la cola: lugar {n}. Nadie atiende la cola en este momento; tu pregunta queda guardada.")
        return words.format(n=place["position"])
    low, high = place["wait_seconds"]
    if not high:
        words = _(
            "En la cola: lugar {n}. Empieza enseguida. Puedes cerrar esta página; la investigación sigue."
        )
        return words.format(n=place["position"])
    words = _(
        "En la cola: lugar {n}. Espera estimada: {range}. Puedes cerrar esta página; la investigación sigue."
    )
    return words.format(n=place["position"], range=formats.wait_range(low, high))


def _ended(run: Mapping[str, Any], worked: float) -> str:
    day = formats.short_date(timezone.localdate(_time(run["completed_at"])))
    if run["started_at"] is None:
        return _("Terminó el {date} sin haber comenzado").format(date=day)
    waited = _seconds(run["created_at"], run["started_at"])
    words = _("Terminada el {date} · esperó {wait} · trabajó {work}")
    if run["status"] == State.FAILED:
        words = _("Se detuvo el {date} · esperó {wait} · trabajó {work}")
    return words.format(date=day, wait=formats.span(waited), work=formats.span(worked))


def _seconds(start: str, end: str | None) -> float:
    return max(0.0, (_time(end) - _time(start)).total_seconds())


def _time(text: str | None) -> datetime:
    return formats.moment(text) or timezone.now()
