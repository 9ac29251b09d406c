"""``Authorization: Bearer <invitation>`` for the API."""

from __future__ import annotations

from django.http import HttpRequest

from dofpilot.access import invitations
from dofpilot.access.models import User


def authenticate(request: HttpRequest, token: str) -> User | None:
    """The person of an active invitation; sets ``request.user`` and ``request.invitation`` to match."""
    invitation = invitations.authenticate(token.strip())
    if invitation is None:
        return None
    request.invitation = invitation
    request.user = invitation.user
    return invitation.user
