"""The sign-in form and the form for a new invitation."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from dofpilot.access import invitations, people
from dofpilot.access.models import Invitation, User


class SignInForm(forms.Form):
    """One field. ``invitation`` is the active invitation once the form is valid."""

    token = forms.CharField(
        label=_("Invitación"),
        max_length=200,
        widget=forms.PasswordInput(
            attrs={"autocomplete": "current-password", "autofocus": True, "spellcheck": "false"}
        ),
        error_messages={"required": _("Escribe tu invitación.")},
    )
    # The same words whether it is unknown, expired or revoked: the page tells nobody which tokens exist.
    refused = _("Esta invitación no es válida. Revísala o pide otra a quien te invitó.")

    def __init__(self, request: HttpRequest | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invitation: Invitation | None = None

    def clean_token(self) -> str:
        token: str = self.cleaned_data["token"]
        self.invitation = invitations.authenticate(token)
        if self.invitation is None:
            raise ValidationError(self.refused, code="refused")
        return token

    def get_user(self) -> User | None:
        return self.invitation and self.invitation.user


class InvitationForm(forms.ModelForm):
    """A new invitation, as staff fill it in; ``invitations.issue`` completes and stores it."""

    pseudonym = forms.CharField(
        label=_("Seudónimo"),
        max_length=150,
        required=False,
        help_text=_("Sin datos personales. Vacío: se genera uno."),
    )
    again = forms.BooleanField(
        label=_("Nueva invitación para esta persona"),
        required=False,
        help_text=_("Para quien perdió la suya: conserva su historial y las anteriores se revocan."),
    )

    class Meta:
        model = Invitation
        fields = ("label", "pseudonym", "again", "expires_at", "runs_per_hour")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean()
        invitations.check_expiry(cleaned.get("expires_at"))
        pseudonym = cleaned.get("pseudonym")
        if cleaned["again"]:
            people.evaluator(pseudonym)
        elif pseudonym:
            people.check_pseudonym(pseudonym)
        return cleaned
