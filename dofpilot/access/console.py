"""Whoever works at the machine's own command line, as a person among the others."""

from __future__ import annotations

from dofpilot.access.models import User

NAME = "consola"


def console_user() -> User:
    """The user under whose name the command line asks; it has neither password nor invitation."""
    user, created = User.objects.get_or_create(username=NAME)
    if created:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user
