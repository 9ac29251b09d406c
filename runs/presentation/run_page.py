"""The whole page of a run, and the fragment that keeps it current."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.providers.registry import ProviderName
from runs.models import Run, State
from runs.presentation.provenance import provenance_rows
from runs.presentation.result import result_view
from runs.presentation.spending import spending
from runs.presentation.status import status_of
from runs.presentation.steps import steps_of
from runs.public import public_run

HOPELESS = frozenset({FailureCode.PROVIDER_REFUSED, FailureCode.CORPUS_UNAVAILABLE})
"""Somebody who runs the site has to mend something first."""
OF_THE_MODEL = frozenset(
    {
        FailureCode.PROVIDER_UNAVAILABLE,
        FailureCode.RATE_LIMITED,
        FailureCode.PROVIDER_REFUSED,
        FailureCode.DEADLINE_EXCEEDED,
    }
)
NOT_RECORDED = gettext_noop("Las grabaciones no tienen respuesta para esta pregunta. Prueba con otra.")


def run_page(run: Run) -> dict[str, Any]:
    """Template context; ``run`` with its transitions at hand."""
    rows = list(run.progress.order_by("sequence"))
    steps = steps_of(rows)
    public = public_run(run)
    usage = public["result"]["usage"] if public["status"] == State.SUCCEEDED else public.get("usage")
    return {
        "run": run,
        "public": public,
        "status": status_of(public, len(steps)),
        "steps": steps,
        "last": rows[-1].sequence if rows else 0,
        "result": result_view(public) if public["status"] == State.SUCCEEDED else None,
        "error": _error(public),
        "recorded": _is_recorded(public),
        "ask_again": _ask_again(run, public),
        "spending": spending(usage) if usage else None,
        "provenance": provenance_rows(public["provenance"]),
    }


def _is_recorded(public: Mapping[str, Any]) -> bool:
    return public["provenance"].get("provider") == ProviderName.RECORDED


def _error(public: Mapping[str, Any]) -> Mapping[str, str] | None:
    """With other words where no model was asked, and asking again would repeat it."""
    error: Mapping[str, str] | None = public["error"]
    if error and error["code"] in OF_THE_MODEL and _is_recorded(public):
        return {**error, "message": _(NOT_RECORDED)}
    return error


def _ask_again(run: Run, public: Mapping[str, Any]) -> str:
    """The query string that fills the form with the question; empty where it would only fail again."""
    code = (public["error"] or {}).get("code")
    if code in HOPELESS or (code in OF_THE_MODEL and _is_recorded(public)):
        return ""
    return urlencode({"q": run.question, "as_of": run.as_of, "hops": run.required_hops})


def status_fragment(run: Run, after: int) -> dict[str, Any]:
    """The steps later than sequence ``after``, and the status line."""
    rows = list(run.progress.order_by("sequence"))
    later = [row for row in rows if row.sequence > after]
    return {
        "status": status_of(public_run(run), len(steps_of(rows))),
        "steps": steps_of(later),
        "last": rows[-1].sequence if rows else after,
    }
