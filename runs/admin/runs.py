"""Runs and their logs in the admin: everything can be read, nothing written."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django_q.models import Failure, OrmQ, Schedule, Success

from dofpilot.access.admin import InvitationAdmin
from dofpilot.access.admin_parts import ReadOnly, pretty_json, short_date, short_time
from dofpilot.access.models import Invitation
from runs.filters import FailureFilter, ProviderFilter, StateFilter
from runs.models import Claim, Progress, Run, RunQuerySet, State, Transition

# A schedule or a queued task names any function of the machine's Python: whoever may add one runs code.
for queued in (Schedule, OrmQ, Success, Failure):
    admin.site.unregister(queued)


class TransitionInline(ReadOnly, admin.TabularInline):
    model = Transition
    fields = ("sequence", "state", "failure", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transition]:
        # The payload holds the whole result, which the run's page shows once, elsewhere.
        return super().get_queryset(request).defer("payload")


class ProgressInline(ReadOnly, admin.TabularInline):
    model = Progress
    fields = ("sequence", "kind", "message", "created_at")
    readonly_fields = ("message",)

    @admin.display(description=_("mensaje"))
    def message(self, step: Progress) -> str:
        return message_of(step)


@admin.register(Run)
class RunAdmin(ReadOnly, admin.ModelAdmin):
    list_display = (
        "short_question",
        "asked",
        "evaluator",
        "shown_state",
        "cutoff",
        "hops",
        "provider",
        "waited",
        "worked",
    )
    list_filter = (StateFilter, FailureFilter, ProviderFilter, "created_at", "required_hops")
    list_select_related = ("evaluator",)
    search_fields = ("question", "evaluator__username")
    search_help_text = _("Busca en la pregunta y el seudónimo.")
    date_hierarchy = "as_of"
    list_per_page = 50
    inlines = (TransitionInline, ProgressInline)
    fieldsets = (
        (None, {"fields": ("question", "evaluator", "as_of", "required_hops", "created_at")}),
        (_("Desenlace"), {"fields": ("shown_state", "waited", "worked", "answer")}),
        (_("Resultado público"), {"classes": ("collapse",), "fields": ("result",)}),
        (_("Procedencia"), {"classes": ("collapse",), "fields": ("id", "client_request_id", "conditions")}),
    )

    def get_queryset(self, request: HttpRequest) -> RunQuerySet:
        return super().get_queryset(request).with_state()

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Run | None:
        run = super().get_object(request, object_id, from_field)
        if run is not None:
            run.shown_result = _result(run)
        return run

    @admin.display(description=_("pregunta"), ordering="question")
    def short_question(self, run: Run) -> str:
        return str(run)

    @admin.display(description=_("estado"), ordering="state")
    def shown_state(self, run: Run) -> str:
        label = str(State(run.state).label)
        return f"{label} · {run.failure}" if run.failure else label

    @admin.display(description=_("corte"), ordering="as_of")
    def cutoff(self, run: Run) -> str:
        return short_date(run.as_of)

    @admin.display(description=_("docs."), ordering="required_hops")
    def hops(self, run: Run) -> int:
        return run.required_hops

    @admin.display(description=_("creada"), ordering="created_at")
    def asked(self, run: Run) -> str | None:
        return short_time(run.created_at)

    @admin.display(description=_("proveedor"), ordering="provenance__provider")
    def provider(self, run: Run) -> str | None:
        return run.provenance.get("provider")

    @admin.display(description=_("espera"))
    def waited(self, run: Run) -> str | None:
        return _seconds(run.created_at, run.started_at)

    @admin.display(description=_("trabajo"))
    def worked(self, run: Run) -> str | None:
        return _seconds(run.started_at, run.completed_at)

    @admin.display(description=_("respuesta"))
    def answer(self, run: Run) -> str:
        return ((run.shown_result or {}).get("answer") or {}).get("text") or "-"

    @admin.display(description=_("resultado"))
    def result(self, run: Run) -> str | None:
        return None if run.shown_result is None else pretty_json(run.shown_result)

    @admin.display(description=_("condiciones"))
    def conditions(self, run: Run) -> str:
        return pretty_json(run.provenance)


class LogAdmin(ReadOnly, admin.ModelAdmin):
    """Rows of a run's log, newest first."""

    list_select_related = ("run",)
    search_fields = ("run__question",)
    search_help_text = _("Busca en la pregunta.")
    date_hierarchy = "created_at"
    ordering = ("-id",)
    show_full_result_count = False

    @admin.display(description=_("contenido"))
    def content(self, row: Transition | Progress) -> str:
        return pretty_json(row.payload)


@admin.register(Transition)
class TransitionAdmin(LogAdmin):
    list_display = ("created_at", "state", "failure", "sequence", "run")
    list_filter = ("state", "failure", "created_at")
    fields = ("run", "sequence", "state", "failure", "created_at", "content")
    readonly_fields = ("content",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Transition]:
        # The list shows none of the payload, which holds the whole result; a row's own page loads it.
        return super().get_queryset(request).defer("payload")


@admin.register(Progress)
class ProgressAdmin(LogAdmin):
    list_display = ("created_at", "kind", "message", "sequence", "run")
    list_filter = ("kind", "created_at")
    fields = ("run", "sequence", "kind", "message", "created_at", "content")
    readonly_fields = ("message", "content")

    @admin.display(description=_("mensaje"))
    def message(self, step: Progress) -> str:
        return message_of(step)


@admin.register(Claim)
class ClaimAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("id", "run", "evaluator", "worker", "heartbeat_at", "cancel_requested_at")
    list_display_links = ("id", "run")
    list_filter = (("token", admin.EmptyFieldListFilter), "heartbeat_at")
    list_select_related = ("run", "evaluator")
    search_fields = ("run__question", "evaluator__username", "worker")


admin.site.unregister(Invitation)


@admin.register(Invitation)
class InvitationWithRunsAdmin(InvitationAdmin):
    """Adds what was asked: the invitation's own room knows nothing of runs."""

    list_display = (*InvitationAdmin.list_display, "runs", "last_run")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Invitation]:
        asked = Run.objects.filter(evaluator=OuterRef("user")).order_by().values("evaluator")
        return (
            super()
            .get_queryset(request)
            .annotate(
                run_count=Coalesce(Subquery(asked.annotate(count=Count("pk")).values("count")), 0),
                last_run_at=Subquery(asked.annotate(last=Max("created_at")).values("last")),
            )
        )

    @admin.display(description=_("preguntas"), ordering="run_count")
    def runs(self, invitation: Invitation) -> int:
        return invitation.run_count

    @admin.display(description=_("última pregunta"), ordering="last_run_at")
    def last_run(self, invitation: Invitation) -> str | None:
        return short_time(invitation.last_run_at)


def message_of(step: Progress) -> str:
    return step.payload.get("message", "")


def _result(run: Run) -> dict[str, Any] | None:
    payload = run.transitions.filter(state=State.SUCCEEDED).values_list("payload", flat=True).first()
    return payload and payload.get("result")


def _seconds(start: datetime | None, end: datetime | None) -> str | None:
    if start is None or end is None:
        return None
    return f"{(end - start) / timedelta(seconds=1):,.1f} s"
