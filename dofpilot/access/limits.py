"""How much one person may ask, and how often the door may be tried. Kept as rows, never in a process."""

from __future__ import annotations

import math
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from dofpilot.access.models import SignInFailure, User

FAILURES_ALLOWED = 30
FAILURES_WINDOW = timedelta(minutes=1)


def runs_per_hour(user: User) -> int:
    """The limit of the person's newest active invitation, or the general one."""
    invitation = user.invitations.active().order_by("-created_at").first()
    own: int | None = invitation and invitation.runs_per_hour
    return own or settings.RUNS_PER_HOUR


def count_failed_sign_in() -> int | None:
    """Note one refused token; the seconds to wait when there were too many, of anybody, in a minute.

    No client address is kept, so the count is everybody's together. Only refused tokens are counted and
    held back: a valid one must get in while somebody else tries the door.
    """
    now = timezone.now()
    SignInFailure.objects.filter(created_at__lte=now - FAILURES_WINDOW).delete()
    recent = SignInFailure.objects.order_by("created_at").values_list("created_at", flat=True)
    times = list(recent[:FAILURES_ALLOWED])
    if len(times) < FAILURES_ALLOWED:
        SignInFailure.objects.create(created_at=now)
        return None
    return max(1, math.ceil((times[0] + FAILURES_WINDOW - now).total_seconds()))
