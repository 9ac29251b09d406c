"""Saying what an answer was worth."""

from __future__ import annotations

import uuid
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from dofpilot.access.responses import SeeOther
from feedback.forms import FeedbackForm
from feedback.service import InvalidFeedback, NotFinished, give
from runs.models import Run


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def feedback(request: HttpRequest, run_id: uuid.UUID) -> HttpResponse:
    """The run's page has the form too; here it stands alone, to be corrected or after signing in again."""
    run = get_object_or_404(Run, pk=run_id, evaluator=request.user)
    if request.method != "POST":
        return _page(request, run, FeedbackForm())
    form = FeedbackForm(request.POST)
    if not form.is_valid():
        return _page(request, run, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        give(run, request.user, **form.cleaned_data)
    except InvalidFeedback as fault:
        form.add_error(fault.field, fault.message)
        return _page(request, run, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    except NotFinished:
        form.add_error(None, _("La investigación sigue en curso. Podrás opinar cuando termine."))
        return _page(request, run, form, HTTPStatus.CONFLICT)
    messages.success(
        request, _("Gracias. Tu opinión se guardó; no cambia la respuesta ni el sistema por sí sola.")
    )
    return SeeOther(reverse("run", args=[run.pk]))


def _page(request: HttpRequest, run: Run, form: FeedbackForm, status: int = HTTPStatus.OK) -> HttpResponse:
    return render(request, "feedback/page.html", {"run": run, "form": form}, status=status)
