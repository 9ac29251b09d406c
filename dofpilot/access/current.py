"""Who is behind a request, and whether they would still be let in later."""

from __future__ import annotations

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone

from dofpilot.access.models import Invitation, User

INVITATION_KEY = "invitation_id"
"""Where a session keeps the id of the invitation that opened it."""


def invitation_of(request: HttpRequest) -> Invitation | None:
    """The active invitation behind the session or the bearer token; ``None`` for staff and strangers."""
    invitation: Invitation | None = getattr(request, "invitation", None)
    return invitation


async def still_allowed(request: HttpRequest) -> bool:
    """Asked again while a long response goes on: has the way in by which ``request`` came been closed?

    It looks at the database alone, never at what the request remembers of its session or person.
    """
    invitation = invitation_of(request)
    if invitation is None:
        return await _session_lives(request) and await _person_is_active(request)
    if not await Invitation.objects.active().filter(pk=invitation.pk).aexists():
        return False
    by_bearer = request.session.get(INVITATION_KEY) != invitation.pk
    return by_bearer or await _session_lives(request)


async def _session_lives(request: HttpRequest) -> bool:
    living = Session.objects.filter(expire_date__gt=timezone.now())
    return await living.filter(session_key=request.session.session_key).aexists()


async def _person_is_active(request: HttpRequest) -> bool:
    return await User.objects.filter(pk=request.session.get(SESSION_KEY), is_active=True).aexists()
