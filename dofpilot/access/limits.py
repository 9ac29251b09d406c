"""How much one person may ask. Counted in rows, never in a process."""

from __future__ import annotations

from django.conf import settings

from dofpilot.access.models import User


def runs_per_hour(user: User) -> int:
    """The limit of the person's newest active invitation, or the general one."""
    invitation = user.invitations.active().order_by("-created_at").first()
    own: int | None = invitation and invitation.runs_per_hour
    return own or settings.RUNS_PER_HOUR
