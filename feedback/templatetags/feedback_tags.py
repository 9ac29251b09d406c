"""The form and what was said before, for any page that shows a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import template

from feedback.forms import FeedbackForm
from feedback.models import Feedback, Rating, ReportedProblem
from runs.models import Run
from runs.presentation.history import Asked

register = template.Library()


@register.inclusion_tag("feedback/_form.html", takes_context=True)
def feedback_panel(context: template.Context, run: Run, form: FeedbackForm | None = None) -> dict[str, Any]:
    """``{% feedback_panel run %}``: an empty form, or the one passed, and what was said before."""
    return {
        "run": run,
        "form": form or FeedbackForm(),
        "given": run.feedback.all(),
        "request": context.get("request"),
    }


@register.simple_tag
def with_ratings(asked: Iterable[Asked]) -> list[tuple[Asked, str]]:
    """``{% with_ratings history as rated %}``: each with the words of its latest rating, or none."""
    items = list(asked)
    given = Feedback.objects.filter(run__in=[item.run.pk for item in items]).order_by("created_at", "pk")
    latest = dict(given.values_list("run_id", "rating"))
    return [(item, _words(latest.get(item.run.pk))) for item in items]


@register.filter
def problem_labels(problems: list[str]) -> list[str]:
    """The words of stored problem codes."""
    return [str(ReportedProblem(problem).label) for problem in problems]


def _words(rating: str | None) -> str:
    return "" if rating is None else str(Rating(rating).label)
