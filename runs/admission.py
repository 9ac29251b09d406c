"""Who may ask now. One transaction decides and stores, so that it holds for any number of processes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dofpilot.access import limits
from dofpilot.access.models import User
from dofpilot.access.problems import Problem, ProblemCode
from dofpilot.corpus.errors import CorpusUnavailable
from runs import closed, lifecycle, provenance, queue, waking
from runs.models import Claim, Run
from runs.requests import RunRequest
from runs.serial import Turn, serialise

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Admission:
    """``created`` is False when the same request had been admitted before."""

    run: Run
    created: bool


def admit(evaluator: User, request: RunRequest) -> Admission:
    """Put a question into the queue, or raise ``Problem``.

    A repeated ``client_request_id`` is answered first, before any limit and without a look at the corpus.
    """
    if repeated := _repeated(evaluator, request):
        return repeated
    return _admit_new(evaluator, request, conditions(pace=settings.PACE))


def admit_for_console(
    evaluator: User, request: RunRequest, worker: str, captured: dict[str, Any] | None = None
) -> lifecycle.Lease:
    """Admit a question that this very process answers, claimed before any worker can see it.

    ``captured`` are its ``conditions``, for who calls this inside a transaction. The hourly limit is for
    people who come over the network.
    """
    captured = captured or conditions(pace=0)
    with transaction.atomic():
        return lifecycle.claim(_admit_new(evaluator, request, captured, from_console=True).run, worker)


def conditions(*, pace: float) -> dict[str, Any]:
    """Under which a question would be answered now, or ``Problem``.

    Not inside a transaction: the corpus may have to be opened, and git asked.
    """
    # Before the corpus is looked at, which may be what new questions are paused for.
    closed.check()
    try:
        return provenance.capture(pace=pace)
    except CorpusUnavailable as error:
        detail = _(
            "El acervo no está disponible en este momento. Tu pregunta no se guardó; inténtalo más tarde."
        )
        raise Problem(503, ProblemCode.CORPUS_UNAVAILABLE, detail, retry_after=60) from error


def _admit_new(
    evaluator: User, request: RunRequest, captured: dict[str, Any], *, from_console: bool = False
) -> Admission:
    with transaction.atomic():
        serialise(Turn.ADMISSION)
        if repeated := _repeated(evaluator, request):
            return repeated
        closed.check()
        _check_active(evaluator)
        if not from_console:
            _check_hour(evaluator)
        _check_queue()
        run = Run(evaluator=evaluator, provenance=captured, **request.model_dump())
        lifecycle.create(run)
        if not from_console:
            waking.enqueue_wake_up()
    return Admission(run, created=True)


def _repeated(evaluator: User, request: RunRequest) -> Admission | None:
    known = Run.objects.filter(evaluator=evaluator, client_request_id=request.client_request_id).first()
    if known is None:
        return None
    # What the client left out was filled in, with that day's cut-off among others: only what it sent counts.
    sent = request.model_dump(include=request.model_fields_set)
    if any(getattr(known, field) != value for field, value in sent.items()):
        detail = _("Este identificador ya se usó con otra pregunta, otro corte u otro número de documentos.")
        raise Problem(409, ProblemCode.IDEMPOTENCY_CONFLICT, detail, field="client_request_id")
    return Admission(known, created=False)


def _check_active(evaluator: User) -> None:
    if Claim.objects.filter(evaluator=evaluator).exists():
        detail = _("Ya tienes una investigación en curso. Espera a que termine o cancélala.")
        raise Problem(409, ProblemCode.ACTIVE_RUN, detail)


def _check_hour(evaluator: User) -> None:
    now = timezone.now()
    recent = Run.objects.filter(evaluator=evaluator, created_at__gt=now - HOUR).order_by("created_at")
    allowed = limits.runs_per_hour(evaluator)
    times = list(recent.values_list("created_at", flat=True))
    if len(times) < allowed:
        return
    frees_at = times[len(times) - allowed] + HOUR
    detail = ngettext(
        "Llegaste al límite de %(limit)d pregunta por hora.",
        "Llegaste al límite de %(limit)d preguntas por hora.",
        allowed,
    ) % {"limit": allowed}
    seconds = max(1, int((frees_at - now).total_seconds()) + 1)
    raise Problem(429, ProblemCode.RATE_LIMITED, detail, retry_after=seconds)


def _check_queue() -> None:
    if Claim.objects.count() >= settings.QUEUE_LIMIT:
        detail = _("La cola está llena. Tu pregunta no se guardó; inténtalo en unos minutos.")
        raise Problem(503, ProblemCode.QUEUE_FULL, detail, retry_after=queue.retry_after())
