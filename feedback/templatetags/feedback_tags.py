"""The form and what was said before, for any page that shows a run."""

from __future__ import annotations

from typing import Any

from django import template

from feedback.forms import FeedbackForm
from feedback.models import Problem
from runs.models import Run

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


@register.filter
def problem_labels(problems: list[str]) -> list[str]:
    """The words of stored problem codes."""
    return [str(Problem(problem).label) for problem in problems]
