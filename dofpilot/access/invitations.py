"""The one writer of invitations, and of the users that they stand for (DESIGN §11)."""

from __future__ import annotations

from datetime import datetime

from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from dofpilot.access import tokens
from dofpilot.access.current import INVITATION_KEY
from dofpilot.access.models import Invitation, User


def invite(
    label: str,
    pseudonym: str | None = None,
    expires_at: datetime | None = None,
    runs_per_hour: int | None = None,
) -> tuple[Invitation, str]:
    """Make a person without password and their invitation; the token is returned here and never again.

    Raises ``ValidationError`` with the fields at fault (``label``, ``pseudonym``, ``expires_at``,
    ``runs_per_hour``).
    """
    invitation = Invitation(label=label.strip(), expires_at=expires_at, runs_per_hour=runs_per_hour)
    return invitation, issue(invitation, pseudonym)


def issue(invitation: Invitation, pseudonym: str | None = None) -> str:
    """Complete and store an invitation that was only filled in; the same as ``invite`` otherwise."""
    token = tokens.new()
    invitation.prefix, invitation.token_hash = token.prefix, token.digest
    check_expiry(invitation.expires_at)
    with transaction.atomic():
        invitation.user = _create_evaluator(pseudonym or _free_pseudonym())
        invitation.full_clean()
        invitation.save(force_insert=True)
    return token.text


def amend(invitation: Invitation) -> None:
    """Store a changed label, expiry or limit. Raises ``ValidationError``."""
    invitation.full_clean()
    invitation.save(update_fields=["label", "expires_at", "runs_per_hour"])


def revoke(invitation: Invitation) -> bool:
    """End an invitation and the sessions that it opened; False when it had been revoked before."""
    with transaction.atomic():
        standing = Invitation.objects.filter(pk=invitation.pk, revoked_at__isnull=True)
        if not standing.update(revoked_at=timezone.now()):
            return False
        _end_sessions(invitation)
    invitation.refresh_from_db(fields=["revoked_at"])
    return True


def authenticate(token: str) -> Invitation | None:
    """The active invitation (with its user) that a token stands for; ``None`` without saying why."""
    prefix = tokens.prefix_of(token)
    known = Invitation.objects.active().select_related("user").filter(prefix=prefix).first()
    return known if tokens.matches(token, known and known.token_hash) else None


def check_pseudonym(pseudonym: str) -> None:
    """Raise ``ValidationError`` naming ``pseudonym`` unless it is well formed and free."""
    try:
        User(username=pseudonym).full_clean(exclude=["password"])
    except ValidationError as error:
        raise ValidationError({"pseudonym": error.message_dict["username"]}) from None


def check_expiry(expires_at: datetime | None) -> None:
    """Raise ``ValidationError`` naming ``expires_at`` when a new invitation would be born expired."""
    if expires_at is not None and expires_at <= timezone.now():
        raise ValidationError({"expires_at": _("Elige una fecha futura.")})


def _create_evaluator(pseudonym: str) -> User:
    check_pseudonym(pseudonym)
    return User.objects.create_user(pseudonym)


def _free_pseudonym() -> str:
    while True:
        pseudonym = f"evaluador-{tokens.random_text(4)}"
        if not User.objects.filter(username=pseudonym).exists():
            return pseudonym


def _end_sessions(invitation: Invitation) -> None:
    # A session's row does not name its invitation, so each is opened. A pilot has few, and the middleware
    # would refuse them anyway: this removes them from the database as well.
    opened = [
        session.pk
        for session in Session.objects.iterator()
        if session.get_decoded().get(INVITATION_KEY) == invitation.pk
    ]
    Session.objects.filter(pk__in=opened).delete()
