"""The one writer of invitations (DESIGN §11)."""

from __future__ import annotations

from datetime import datetime

from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from dofpilot.access import people, tokens
from dofpilot.access.current import INVITATION_KEY
from dofpilot.access.models import Invitation


def invite(
    label: str,
    pseudonym: str | None = None,
    expires_at: datetime | None = None,
    runs_per_hour: int | None = None,
    *,
    again: bool = False,
) -> tuple[Invitation, str]:
    """Make a person without password and their invitation; the token is returned here and never again.

    ``again`` gives a new token to the person of that pseudonym, for one that was lost: what they asked
    stays theirs, and their earlier invitations are revoked. Raises ``ValidationError`` with the fields
    at fault (``label``, ``pseudonym``, ``expires_at``, ``runs_per_hour``).
    """
    invitation = Invitation(label=label.strip(), expires_at=expires_at, runs_per_hour=runs_per_hour)
    return invitation, issue(invitation, pseudonym, again=again)


def issue(invitation: Invitation, pseudonym: str | None = None, *, again: bool = False) -> str:
    """Complete and store an invitation that was only filled in; the same as ``invite`` otherwise."""
    token = tokens.new()
    invitation.prefix, invitation.token_hash = token.prefix, token.digest
    check_expiry(invitation.expires_at)
    with transaction.atomic():
        invitation.user = people.evaluator(pseudonym) if again else people.create_evaluator(pseudonym)
        invitation.full_clean()
        for earlier in Invitation.objects.filter(user=invitation.user):
            revoke(earlier)
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
        # The middleware refuses them from now on; their rows go once the transaction is over, since every
        # session has to be opened to find them.
        transaction.on_commit(lambda: _end_sessions(invitation))
    invitation.refresh_from_db(fields=["revoked_at"])
    return True


def authenticate(token: str) -> Invitation | None:
    """The active invitation (with its user) that a token stands for; ``None`` without saying why."""
    prefix = tokens.prefix_of(token)
    known = Invitation.objects.active().select_related("user").filter(prefix=prefix).first()
    return known if tokens.matches(token, known and known.token_hash) else None


def check_expiry(expires_at: datetime | None) -> None:
    """Raise ``ValidationError`` naming ``expires_at`` when a new invitation would be born expired."""
    if expires_at is not None and expires_at <= timezone.now():
        raise ValidationError({"expires_at": _("Elige una fecha futura.")})


def _end_sessions(invitation: Invitation) -> None:
    opened = [
        session.pk
        for session in Session.objects.iterator()
        if session.get_decoded().get(INVITATION_KEY) == invitation.pk
    ]
    Session.objects.filter(pk__in=opened).delete()
