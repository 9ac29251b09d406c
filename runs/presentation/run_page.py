"""The whole page of a run, and the fragment that keeps it current."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from runs.models import Run, State
from runs.presentation.provenance import provenance_rows
from runs.presentation.result import result_view
from runs.presentation.spending import spending
from runs.presentation.status import status_of
from runs.presentation.steps import action_count, steps_of
from runs.public import public_run


def run_page(run: Run) -> dict[str, Any]:
    """Template context; ``run`` with its transitions at hand."""
    rows = list(run.progress.order_by("sequence"))
    steps = steps_of(rows)
    public = public_run(run)
    usage = public["result"]["usage"] if public["status"] == State.SUCCEEDED else public.get("usage")
    return {
        "run": run,
        "public": public,
        "status": status_of(public, action_count(steps)),
        "steps": steps,
        "actions": action_count(steps),
        "last": rows[-1].sequence if rows else 0,
        "result": result_view(public) if public["status"] == State.SUCCEEDED else None,
        "error": public["error"],
        "ask_again": urlencode({"q": run.question, "as_of": run.as_of, "hops": run.required_hops}),
        "spending": spending(usage) if usage else None,
        "provenance": provenance_rows(public["provenance"]),
    }


def status_fragment(run: Run, after: int) -> dict[str, Any]:
    """The steps later than sequence ``after``, and the status line."""
    rows = list(run.progress.order_by("sequence"))
    later = [row for row in rows if row.sequence > after]
    return {
        "status": status_of(public_run(run), action_count(steps_of(rows))),
        "steps": steps_of(later),
        "last": rows[-1].sequence if rows else after,
    }
