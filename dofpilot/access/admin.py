"""People and their invitations in the admin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserCreationForm
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from dofpilot.access import invitations
from dofpilot.access.admin_parts import short_time
from dofpilot.access.forms import InvitationForm
from dofpilot.access.models import Invitation, InvitationState, User
from dofpilot.access.responses import SeeOther

admin.site.site_header = admin.site.site_title = "dofpilot"
# The lists are wide, and every page has its way back above it.
admin.site.enable_nav_sidebar = False
admin.site.index_title = gettext_lazy("Administración")


@admin.register(User)
class PersonAdmin(UserAdmin):
    """Staff have passwords and are Django's business; evaluators are made by invitations and only shown."""

    # Without Django's choice to make an account that has no password.
    add_form = UserCreationForm
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("username", "password1", "password2")}),)
    list_display = ("username", "is_active", "is_staff", "date_joined", "last_login")
    date_hierarchy = "date_joined"

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and not _is_evaluator(obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_delete_permission(request, obj) and not _is_evaluator(obj)


def _is_evaluator(person: User | None) -> bool:
    return person is not None and not person.is_staff and not person.has_usable_password()


class InvitationStateFilter(admin.SimpleListFilter):
    title = gettext_lazy("estado")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return InvitationState.choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> QuerySet[Invitation]:
        if self.value() not in InvitationState.values:
            return queryset
        return queryset.in_state(InvitationState(self.value()))


@admin.register(Invitation)
class InvitationAdmin(admin.ModelAdmin):
    """A token is shown once, in the message that follows its making. Nothing here can show or change it."""

    list_display = ("label", "user", "prefix", "shown_state", "created", "expires", "per_hour")
    list_filter = (InvitationStateFilter, "created_at", "expires_at")
    list_select_related = ("user",)
    search_fields = ("label", "prefix", "user__username")
    date_hierarchy = "created_at"
    actions = ("revoke_selected",)
    filled_in = ("label", "expires_at", "runs_per_hour")
    shown = ("user", "prefix", "shown_state", "created_at", "revoked_at")
    readonly_fields = shown

    def has_delete_permission(self, request: HttpRequest, obj: Invitation | None = None) -> bool:
        # Revoking ends an invitation; its row still tells who was let in and when.
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request) and request.user.has_perm("access.revoke_invitation")

    def get_fields(self, request: HttpRequest, obj: Invitation | None = None) -> tuple[str, ...]:
        return InvitationForm.Meta.fields if obj is None else (*self.filled_in, *self.shown)

    def get_form(
        self, request: HttpRequest, obj: Invitation | None = None, change: bool = False, **kwargs: Any
    ) -> type[ModelForm]:
        if obj is None:
            kwargs["form"] = InvitationForm
        return super().get_form(request, obj, change, **kwargs)

    def save_model(self, request: HttpRequest, obj: Invitation, form: ModelForm, change: bool) -> None:
        if change:
            invitations.amend(obj)
            return
        again = form.cleaned_data["again"]
        if again and not self.has_revoke_permission(request):
            raise PermissionDenied
        token = invitations.issue(obj, form.cleaned_data["pseudonym"], again=again)
        text = _("Entrega esta invitación ahora: no se volverá a mostrar. {}")
        self.message_user(request, format_html(text, format_html("<code>{}</code>", token)), messages.WARNING)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.revoke_view)
        return [path("<path:object_id>/revoke/", view, name="access_invitation_revoke"), *super().get_urls()]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        context["may_revoke"] = self.has_revoke_permission(request)
        context["may_invite_again"] = context["may_revoke"] and self.has_add_permission(request)
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description=gettext_lazy("estado"))
    def shown_state(self, invitation: Invitation) -> str:
        return invitation.state.label

    @admin.display(description=gettext_lazy("creada"), ordering="created_at")
    def created(self, invitation: Invitation) -> str | None:
        return short_time(invitation.created_at)

    @admin.display(description=gettext_lazy("vence"), ordering="expires_at")
    def expires(self, invitation: Invitation) -> str | None:
        return short_time(invitation.expires_at)

    @admin.display(description=gettext_lazy("por hora"), ordering="runs_per_hour")
    def per_hour(self, invitation: Invitation) -> int | None:
        return invitation.runs_per_hour

    def revoke_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The button of one invitation: GET explains, POST with ``confirm`` revokes."""
        if not self.has_revoke_permission(request):
            raise PermissionDenied
        invitation = self.get_object(request, unquote(object_id))
        if invitation is None:
            raise Http404
        if "confirm" not in request.POST:
            return self._confirmation(request, [invitation])
        self._revoke(request, [invitation])
        return SeeOther(reverse("admin:access_invitation_change", args=[invitation.pk]))

    @admin.action(description=gettext_lazy("Revocar las invitaciones elegidas"), permissions=["revoke"])
    def revoke_selected(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> HttpResponse | None:
        """Shows what would be revoked until ``confirm`` comes with it."""
        chosen = list(queryset.select_related("user"))
        if "confirm" not in request.POST:
            return self._confirmation(request, chosen, action="revoke_selected")
        self._revoke(request, chosen)
        return None

    def _confirmation(
        self, request: HttpRequest, chosen: list[Invitation], action: str | None = None
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": _("Revocar invitaciones"),
            "chosen": chosen,
            "action": action,
            "action_checkbox_name": admin.helpers.ACTION_CHECKBOX_NAME,
        }
        return TemplateResponse(request, "admin/access/invitation/revoke_confirmation.html", context)

    def _revoke(self, request: HttpRequest, chosen: Iterable[Invitation]) -> None:
        revoked = 0
        with transaction.atomic():
            for invitation in chosen:
                if invitations.revoke(invitation):
                    revoked += 1
                    self.log_change(request, invitation, _("Revocada."))
                else:
                    text = _("%(invitation)s ya estaba revocada; se dejó como estaba.")
                    self.message_user(request, text % {"invitation": invitation}, messages.WARNING)
        if revoked:
            text = ngettext(
                "Se revocó %(count)d invitación y se cerraron sus sesiones.",
                "Se revocaron %(count)d invitaciones y se cerraron sus sesiones.",
                revoked,
            )
            self.message_user(request, text % {"count": revoked}, messages.SUCCESS)
