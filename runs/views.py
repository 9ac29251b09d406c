"""Pages of a person's questions: ask, follow, read, cancel, download. Rules live elsewhere."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dofpilot.access.problems import Problem, ProblemCode
from dofpilot.access.responses import SeeOther
from runs import lifecycle
from runs.admission import admit
from runs.closed import closed
from runs.corpus_access import default_cutoff, manifest_summary
from runs.models import HOPS_MAX, HOPS_MIN, QUESTION_MAX, QUESTION_MIN, Claim, Run
from runs.presentation.examples import SAMPLE
from runs.presentation.history import history
from runs.presentation.run_page import run_page, status_fragment
from runs.public import public_run
from runs.requests import InvalidInput, parse

ID = "client_request_id"
SHOWN = ("question", "as_of", "required_hops")


@dataclass(frozen=True, slots=True)
class AskForm:
    """What the form shows: as typed, with a sentence for each field at fault."""

    values: dict[str, str]
    errors: dict[str, str] = field(default_factory=dict)
    problem: Problem | None = None
    status: int = 200

    @property
    def elsewhere(self) -> dict[str, str]:
        """Faults of fields that the form does not show: there is nowhere beside them to say it."""
        return {name: sentence for name, sentence in self.errors.items() if name not in SHOWN}

    @property
    def marked(self) -> bool:
        return len(self.elsewhere) < len(self.errors)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """Ask a question; below, those asked before."""
    if request.method != "POST":
        return _home(request, AskForm(_prefilled(request)))
    typed = {key: str(value).replace("\r\n", "\n") for key, value in request.POST.items()}
    typed.pop("csrfmiddlewaretoken", None)
    values = {name: typed.get(name, "") for name in SHOWN} | {ID: typed.get(ID) or str(uuid.uuid4())}
    try:
        admission = admit(request.user, parse(typed))
    except InvalidInput as fault:
        return _home(request, _wrong(values, fault.errors))
    except Problem as problem:
        return _home(request, _refused(values, problem))
    return SeeOther(reverse("run", args=[admission.run.pk]))


@login_required
@never_cache
@require_safe
def run(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """One question: its log while it works, its answer and sources at the end."""
    return render(request, "runs/run.html", run_page(_own_run(request, run_id)))


@login_required
@never_cache
@require_safe
def run_status(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """The status line and the steps later than ``?after=N``, for pages that cannot follow the stream."""
    after = request.GET.get("after", "")
    # Nine digits are more than any log has, and still fit the column.
    later_than = int(after) if after.isascii() and after.isdigit() and len(after) <= 9 else 0
    return render(request, "runs/_status.html", status_fragment(_own_run(request, run_id), later_than))


@login_required
@never_cache
@require_safe
def run_json(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """The public run as a file."""
    found = _own_run(request, run_id)
    response = JsonResponse(public_run(found), json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="dofpilot-{found.pk}.json"'
    return response


@login_required
@require_POST
def run_cancel(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    found = _own_run(request, run_id)
    lifecycle.cancel(found)
    return SeeOther(reverse("run", args=[found.pk]))


def _own_run(request: HttpRequest, run_id: uuid.UUID) -> Run:
    """Another's run is as absent as one that never was."""
    return get_object_or_404(Run.objects.prefetch_related("transitions"), pk=run_id, evaluator=request.user)


def _prefilled(request: HttpRequest) -> dict[str, str]:
    """A new form; ``?q=``, ``?hops=`` and ``?as_of=`` fill it, as the examples do."""
    return {
        "question": request.GET.get("q", "")[:QUESTION_MAX],
        "as_of": request.GET.get("as_of", "")[:10],
        "required_hops": request.GET.get("hops", str(HOPS_MIN)),
        ID: str(uuid.uuid4()),
    }


def _wrong(values: dict[str, str], errors: dict[str, str]) -> AskForm:
    if ID in errors:
        # Nobody typed it, so nobody can mend it.
        values = {**values, ID: str(uuid.uuid4())}
        errors = {**errors, ID: _("El formulario llegó sin un identificador válido; ya tiene uno nuevo.")}
    return AskForm(values, errors=errors, status=422)


def _refused(values: dict[str, str], problem: Problem) -> AskForm:
    if problem.code == ProblemCode.IDEMPOTENCY_CONFLICT:
        # The form was sent before, then changed with the back button: it is a new question now.
        values = {**values, ID: str(uuid.uuid4())}
    return AskForm(values, problem=problem, status=problem.status)


def _home(request: HttpRequest, form: AskForm) -> HttpResponse:
    corpus = manifest_summary()
    context: dict[str, Any] = {
        "form": form,
        "corpus": corpus,
        "as_of": form.values["as_of"] or default_cutoff().isoformat(),
        "hops_choices": range(HOPS_MIN, HOPS_MAX + 1),
        "question_min": QUESTION_MIN,
        "question_max": QUESTION_MAX,
        "examples": SAMPLE if corpus and corpus["sample"] else (),
        "closed": closed(),
        "active": Claim.objects.filter(evaluator=request.user).values_list("run_id", flat=True).first(),
        "history": history(request.user, request.GET.get("page", 1)),
    }
    response = render(request, "runs/home.html", context, status=form.status)
    if form.problem and form.problem.retry_after:
        response["Retry-After"] = str(form.problem.retry_after)
    return response
