"""Own questions on the home page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django.core.paginator import Page, Paginator
from django.utils import timezone

from dofpilot.access.models import User
from runs.models import Run, State

PER_PAGE = 10


@dataclass(frozen=True, slots=True)
class Asked:
    run: Run
    state: State
    day: date


def history(evaluator: User, page: str | int) -> Page[Asked]:
    """One page of what ``evaluator`` asked, latest first; an impossible page number gives the nearest one."""
    runs = Run.objects.with_state().filter(evaluator=evaluator)
    found = Paginator(runs.order_by("-created_at"), PER_PAGE).get_page(page)
    found.object_list = [_asked(run) for run in found.object_list]
    return found


def _asked(run: Run) -> Asked:
    return Asked(run=run, state=State(run.state), day=timezone.localdate(run.created_at))
