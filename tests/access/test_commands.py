"""Invitations from the command line."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from dofpilot.access import invitations
from dofpilot.access.models import Invitation

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output)
    return output.getvalue()


def test_invite_prints_a_token_that_lets_in():
    printed = run(
        "invite", "--label", "Ana", "--pseudonym", "ana", "--expires-days", "7", "--per-hour", "3"
    ).splitlines()
    invitation = invitations.authenticate(printed[-1])
    assert "ana" in printed[0]
    assert (invitation.label, invitation.user.username, invitation.runs_per_hour) == ("Ana", "ana", 3)
    assert timedelta(days=6.9) < invitation.expires_at - timezone.now() <= timedelta(days=7)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--label", " "),
        ("--pseudonym", "a b"),
        ("--expires-days", "0"),
        ("--expires-days", "9999999999"),
        ("--per-hour", "0"),
    ],
)
def test_invite_names_the_wrong_option_and_makes_nothing(option, value):
    arguments = {"--label": "Ana", option: value}
    with pytest.raises(CommandError, match=f"^{option}: "):
        run("invite", *[part for pair in arguments.items() for part in pair])
    assert not Invitation.objects.exists()


def test_invite_again_gives_the_same_person_another_token():
    lost, lost_token = invitations.invite("Ana", pseudonym="ana")
    token = run("invite", "--label", "Ana", "--pseudonym", "ana", "--again").splitlines()[-1]
    assert invitations.authenticate(token).user == lost.user
    assert invitations.authenticate(lost_token) is None


def test_invite_again_names_a_person_who_is_not_there():
    with pytest.raises(CommandError, match=r"^--pseudonym: No hay una persona"):
        run("invite", "--label", "Ana", "--pseudonym", "nadie", "--again")


def test_revoke_invitation_ends_it_once():
    invitation, token = invitations.invite("Ana")
    assert "revocada" in run("revoke_invitation", invitation.prefix)
    assert invitations.authenticate(token) is None
    with pytest.raises(CommandError, match="ya estaba revocada"):
        run("revoke_invitation", invitation.prefix)


def test_revoke_invitation_says_when_there_is_none():
    with pytest.raises(CommandError, match="No hay una invitación"):
        run("revoke_invitation", "00000000")
