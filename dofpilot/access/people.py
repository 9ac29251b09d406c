"""The one writer of people: evaluators, the first staff account, and whoever works at the command line."""

from __future__ import annotations

import secrets

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from dofpilot.access import tokens
from dofpilot.access.models import User

CONSOLE, FIRST_STAFF = "consola", "admin"


def create_evaluator(pseudonym: str | None = None) -> User:
    """Somebody without password; a pseudonym is made up when none is given.

    Raises ``ValidationError`` naming ``pseudonym``.
    """
    name = pseudonym or _free_pseudonym()
    check_pseudonym(name)
    return User.objects.create_user(name)


def evaluator(pseudonym: str | None) -> User:
    """The active person who was invited under this name; ``ValidationError`` naming ``pseudonym`` without."""
    known = User.objects.filter(username=pseudonym, is_active=True, invitations__isnull=False).first()
    if known is None:
        raise ValidationError({"pseudonym": _("No hay una persona invitada y activa con este seudónimo.")})
    return known


def check_pseudonym(pseudonym: str) -> None:
    """Raise ``ValidationError`` naming ``pseudonym`` unless it is well formed, free and not reserved."""
    if pseudonym.casefold() in (CONSOLE, FIRST_STAFF):
        raise ValidationError({"pseudonym": _("Este nombre está reservado.")})
    try:
        User(username=pseudonym).full_clean(exclude=["password"])
    except ValidationError as error:
        raise ValidationError({"pseudonym": error.message_dict["username"]}) from None


def first_staff() -> str | None:
    """Create ``admin``, who may do everything, and return its password; ``None`` where staff is there."""
    if User.objects.filter(is_staff=True).exists():
        return None
    password = secrets.token_urlsafe(12)
    User.objects.create_superuser(FIRST_STAFF, password=password)
    return password


def console_user() -> User:
    """The user under whose name the command line asks; it has neither password nor invitation."""
    user, created = User.objects.get_or_create(username=CONSOLE)
    if created:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


def _free_pseudonym() -> str:
    while True:
        pseudonym = f"evaluador-{tokens.random_text(4)}"
        if not User.objects.filter(username=pseudonym).exists():
            return pseudonym
