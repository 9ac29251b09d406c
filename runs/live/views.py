"""The stream as a plain async view: it serves a thousand readers where a consumer class serves hundreds."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import get_language
from django.views.decorators.http import require_GET

from dofpilot.access.current import still_allowed
from dofpilot.access.models import User
from dofpilot.access.problems import ProblemCode, problem_response, usual
from runs.live.stream import Reader, StatusRenderer, StepRenderer, stream
from runs.models import Run
from runs.presentation.status import render_status
from runs.presentation.steps import render_step
from runs.public import public_run

LAST_EVENT_ID = "Last-Event-ID"


@require_GET
async def events(request: HttpRequest, run_id: uuid.UUID) -> HttpResponseBase:
    """The page's stream: every step with its rendered fragment."""
    user = await request.auser()
    if not user.is_authenticated:
        return problem_response(usual(ProblemCode.UNAUTHENTICATED))
    language = get_language() or "es-mx"
    return await event_stream(
        request,
        user,
        run_id,
        lambda step: {**step, "html": render_step(step, language)},
        lambda run: {"html": render_status(run, language)},
    )


async def event_stream(
    request: HttpRequest,
    user: User,
    run_id: uuid.UUID,
    step: StepRenderer = lambda public: public,
    status: StatusRenderer | None = None,
) -> StreamingHttpResponse:
    """Stream ``user``'s own run; without renderers the frames hold public JSON alone."""
    run = await Run.objects.filter(pk=run_id, evaluator=user).afirst()
    if run is None:
        raise Http404
    reader = Reader(run, step, status or _public_status, lambda: still_allowed(request))
    response = StreamingHttpResponse(stream(reader, _after(request)), content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


def _public_status(run: Run) -> dict[str, Any]:
    shown = public_run(run)
    return {key: shown[key] for key in ("status", "queue") if key in shown}


def _after(request: HttpRequest) -> int:
    """The last sequence that the reader has; what is no number counts as none."""
    given = request.headers.get(LAST_EVENT_ID) or request.GET.get("after", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0
