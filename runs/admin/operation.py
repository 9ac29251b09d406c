"""«Operación»: how the site works now, and the button that pauses new questions."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dofpilot.access.admin_parts import ReadOnly
from dofpilot.access.responses import SeeOther
from runs import pause
from runs.models import AdmissionChange, ProviderHealth, Worker
from runs.models.operation import REASON_MAX
from runs.operation import operation

MAY_SEE, MAY_PAUSE = "runs.view_claim", "runs.pause_admission"


@admin.register(AdmissionChange)
class AdmissionChangeAdmin(ReadOnly, admin.ModelAdmin):
    """The log of pauses; the page «Operación» and its two verbs hang here, with permissions of their own."""

    list_display = ("created_at", "is_open", "reason", "who")
    list_filter = ("is_open", "created_at")
    list_select_related = ("changed_by",)
    search_fields = ("reason", "changed_by__username")
    date_hierarchy = "created_at"

    @admin.display(description=gettext_lazy("quién"), ordering="changed_by")
    def who(self, change: AdmissionChange) -> str:
        return who(change.changed_by)

    def get_urls(self) -> list[URLPattern]:
        views = {"operation": self.operation_view, "pause": self.pause_view, "resume": self.resume_view}
        own = [
            path(f"{name}/", self.admin_site.admin_view(view), name=f"runs_{name}")
            for name, view in views.items()
        ]
        return [*own, *super().get_urls()]

    def operation_view(self, request: HttpRequest) -> HttpResponse:
        _require(request, MAY_SEE)
        return self._page(request, "operation", _("Operación"), now=operation())

    def pause_view(self, request: HttpRequest) -> HttpResponse:
        """GET, and POST without ``confirm``, explain; POST with it pauses."""
        _require(request, MAY_SEE, MAY_PAUSE)
        reason = request.POST.get("reason", "")
        if "confirm" not in request.POST:
            return self._pause_page(request, reason)
        try:
            changed = pause.pause(reason, request.user)
        except ValidationError as error:
            return self._pause_page(request, reason, " ".join(error.messages))
        if changed:
            self.message_user(request, _("Las preguntas nuevas quedaron en pausa."), messages.SUCCESS)
        else:
            told = _("Ya estaban en pausa por ese motivo; no cambió nada.")
            self.message_user(request, told, messages.WARNING)
        return SeeOther(reverse("admin:runs_operation"))

    def resume_view(self, request: HttpRequest) -> HttpResponse:
        """GET, and POST without ``confirm``, explain; POST with it lets questions in again."""
        _require(request, MAY_SEE, MAY_PAUSE)
        if "confirm" not in request.POST:
            return self._page(request, "resume", _("Aceptar preguntas nuevas"), pause=pause.current())
        if pause.resume(request.user):
            self.message_user(request, _("Ya se aceptan preguntas nuevas."), messages.SUCCESS)
        else:
            self.message_user(request, _("No estaban en pausa; no cambió nada."), messages.WARNING)
        return SeeOther(reverse("admin:runs_operation"))

    def _pause_page(self, request: HttpRequest, reason: str, error: str = "") -> HttpResponse:
        now = pause.current()
        context = {"pause": now, "reason": reason or (now.reason if now else ""), "error": error}
        return self._page(request, "pause", _("Pausar las preguntas nuevas"), **context)

    def _page(self, request: HttpRequest, name: str, title: str, **context: Any) -> HttpResponse:
        shared = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": title,
            "reason_max": REASON_MAX,
            "may_pause": request.user.has_perm(MAY_PAUSE),
        }
        return TemplateResponse(request, f"admin/runs/{name}.html", {**shared, **context})


@admin.register(Worker)
class WorkerAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("name", "started_at", "seen_at")
    search_fields = ("name",)


@admin.register(ProviderHealth)
class ProviderHealthAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("server", "state", "since", "checked_at", "detail")
    list_filter = ("state",)
    search_fields = ("server", "detail")


def who(person: Any) -> str:
    """Who paused or resumed: nobody is the command line."""
    return str(person) if person else _("desde la consola")


def _require(request: HttpRequest, *permissions: str) -> None:
    if not request.user.has_perms(permissions):
        raise PermissionDenied
