"""The JSON API for runs: create, list, get, steps, events, cancel."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from ninja import Query, Router, Schema, Status
from pydantic import Field

from dofpilot.access.models import User
from dofpilot.access.problems import Problem, ProblemCode
from runs import admission, closed, lifecycle, provenance, provider_health
from runs.corpus_access import manifest_summary
from runs.live.views import event_stream
from runs.models import HOPS_MAX, HOPS_MIN, QUESTION_MAX, QUESTION_MIN, Run
from runs.public import failure_sentence, public_run, public_step, timestamp
from runs.requests import RunRequest

router = Router(tags=["runs"])
PAGE_MAX = 100
FAULTS = {
    "limit": gettext_noop("Pide de 1 a 100 investigaciones."),
    "offset": gettext_noop("Indica cuántas investigaciones saltar: un número entero desde 0."),
    "after": gettext_noop("Indica el último paso que ya tienes: un número entero desde 0."),
}


class Page(Schema):
    """``offset`` skips that many of the newest runs."""

    limit: int = Field(20, ge=1, le=PAGE_MAX)
    offset: int = Field(0, ge=0, lt=2**31)


class Later(Schema):
    """Only steps whose sequence is greater than ``after``."""

    after: int = Field(0, ge=0, lt=2**31)


def signed_in(request: HttpRequest) -> User:
    """Who asks, as the authentication of the API found out."""
    return request.auth  # type: ignore[attr-defined]


def own_run(request: HttpRequest, run_id: uuid.UUID) -> Run:
    """The run with its state, if it is the asker's; another's does not exist for them."""
    run = Run.objects.with_state().filter(pk=run_id, evaluator=signed_in(request)).first()
    if run is None:
        raise Problem(404, ProblemCode.NOT_FOUND, _("Esta investigación no existe o no es tuya."))
    return run


@router.post("/runs", response={200: dict[str, Any], 201: dict[str, Any]}, summary="Ask a question")
def create(request: HttpRequest, body: RunRequest) -> Status:
    """201 with the new run, or 200 with the one that the same ``client_request_id`` made before."""
    admitted = admission.admit(signed_in(request), body)
    return Status(201 if admitted.created else 200, public_run(admitted.run))


@router.get("/runs", response=dict[str, Any], summary="List your own runs, newest first")
def own_runs(request: HttpRequest, page: Query[Page]) -> dict[str, Any]:
    runs = Run.objects.filter(evaluator=signed_in(request))
    # Results and provenance can weigh a megabyte together; a list needs neither.
    light = runs.with_state().defer("provenance").order_by("-created_at")
    shown = light[page.offset : page.offset + page.limit]
    return {"count": runs.count(), "runs": [_brief(run) for run in shown]}


@router.get(
    "/runs/{uuid:run_id}", response=dict[str, Any], summary="One run, with its result once it has ended"
)
def get(request: HttpRequest, run_id: uuid.UUID) -> dict[str, Any]:
    return public_run(own_run(request, run_id))


@router.get("/runs/{uuid:run_id}/progress", response=dict[str, Any], summary="Steps later than a sequence")
def progress(request: HttpRequest, run_id: uuid.UUID, later: Query[Later]) -> dict[str, Any]:
    run = own_run(request, run_id)
    steps = run.progress.filter(sequence__gt=later.after).order_by("sequence")
    return {"status": run.state, "steps": [public_step(step) for step in steps]}


@router.get("/runs/{uuid:run_id}/events", summary="Steps as server-sent events, replayed and then live")
async def events(request: HttpRequest, run_id: uuid.UUID) -> StreamingHttpResponse:
    """``Last-Event-ID`` or ``?after=N`` replays exactly the later steps; ``event: terminal`` closes."""
    return await event_stream(request, signed_in(request), run_id)


@router.post("/runs/{uuid:run_id}/cancel", response={202: dict[str, Any]}, summary="Cancel a run")
def cancel(request: HttpRequest, run_id: uuid.UUID) -> Status:
    """A waiting run ends at once, a started one at its next step; an ended one stays as it is."""
    lifecycle.cancel(own_run(request, run_id))
    return Status(202, public_run(own_run(request, run_id)))


@router.get("/capabilities", response=dict[str, Any], summary="What this site can do")
def capabilities(request: HttpRequest) -> dict[str, Any]:
    conditions = provenance.capture()
    return {
        "version": provenance.VERSION,
        "corpus": manifest_summary(),
        "strategies": [conditions["retrieval_mode"]],
        "provider": {
            **{key: conditions[key] for key in ("provider", "model", "generative")},
            **provider_health.public(),
        },
        "admission": closed.public(),
        "limits": {
            "question_characters": [QUESTION_MIN, QUESTION_MAX],
            "required_hops": [HOPS_MIN, HOPS_MAX],
            "body_bytes": settings.PAGE_BODY_LIMIT,
            **conditions["limits"],
        },
    }


def _brief(run: Run) -> dict[str, Any]:
    """The public run without what weighs: the same keys mean the same."""
    error = {"code": run.failure, "message": failure_sentence(run.failure)} if run.failure else None
    return {
        "run_id": str(run.pk),
        "status": run.state,
        "question": run.question,
        "as_of": run.as_of.isoformat(),
        "required_hops": run.required_hops,
        "created_at": timestamp(run.created_at),
        "completed_at": run.completed_at and timestamp(run.completed_at),
        "error": error,
    }
