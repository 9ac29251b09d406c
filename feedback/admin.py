"""Opinions in the admin: to be read and searched, never written."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery, TextField
from django.db.models.functions import Cast, Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from dofpilot.access.admin_parts import ReadOnly, short_time
from feedback.models import Feedback, ReportedProblem
from runs.admin import RunAdmin
from runs.filters import ChoiceFilter
from runs.models import Run, RunQuerySet


class ProblemFilter(ChoiceFilter):
    title = _("problema")
    parameter_name = "problem"
    choices_shown = ReportedProblem.choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Feedback]) -> QuerySet[Feedback]:
        if self.value() not in ReportedProblem.values:
            return queryset
        # SQLite cannot ask whether a JSON list contains a value; a quoted code is found in its text.
        as_text = queryset.annotate(problems_text=Cast("problems", TextField()))
        return as_text.filter(problems_text__contains=f'"{self.value()}"')


class ShownProblems:
    @admin.display(description=_("problemas"))
    def shown_problems(self, opinion: Feedback) -> str:
        return ", ".join(str(ReportedProblem(problem).label) for problem in opinion.problems)


@admin.register(Feedback)
class FeedbackAdmin(ShownProblems, ReadOnly, admin.ModelAdmin):
    list_display = ("given", "rating", "shown_problems", "short_comment", "run_link", "evaluator")
    list_filter = ("rating", ProblemFilter, "created_at")
    list_select_related = ("run", "evaluator")
    search_fields = ("comment", "run__question", "evaluator__username")
    search_help_text = _("Busca en el comentario, la pregunta y el seudónimo.")
    date_hierarchy = "created_at"
    list_per_page = 50
    fields = ("run", "evaluator", "rating", "shown_problems", "comment", "created_at")
    readonly_fields = ("shown_problems",)

    @admin.display(description=_("cuándo"), ordering="created_at")
    def given(self, opinion: Feedback) -> str | None:
        return short_time(opinion.created_at)

    @admin.display(description=_("comentario"))
    def short_comment(self, opinion: Feedback) -> str:
        return Truncator(opinion.comment).chars(80)

    @admin.display(description=_("investigación"), ordering="run__question")
    def run_link(self, opinion: Feedback) -> str:
        address = reverse("admin:runs_run_change", args=[opinion.run_id])
        return format_html('<a href="{}">{}</a>', address, opinion.run)


class FeedbackInline(ShownProblems, ReadOnly, admin.TabularInline):
    model = Feedback
    fields = ("rating", "shown_problems", "comment", "created_at")
    readonly_fields = ("shown_problems",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Feedback]:
        # The title of each row names its run.
        return super().get_queryset(request).select_related("run")


admin.site.unregister(Run)


@admin.register(Run)
class RunWithFeedbackAdmin(RunAdmin):
    """Adds what people said: the run's own room knows nothing of feedback."""

    list_display = (*RunAdmin.list_display, "opinions")
    inlines = (FeedbackInline, *RunAdmin.inlines)

    def get_queryset(self, request: HttpRequest) -> RunQuerySet:
        given = Feedback.objects.filter(run=OuterRef("pk")).order_by().values("run")
        counted = Subquery(given.annotate(count=Count("pk")).values("count"))
        return super().get_queryset(request).annotate(opinion_count=Coalesce(counted, 0))

    @admin.display(description=_("opiniones"), ordering="opinion_count")
    def opinions(self, run: Run) -> int:
        return run.opinion_count
