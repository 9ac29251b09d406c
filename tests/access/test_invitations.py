"""Inviting, letting in, revoking."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.utils import timezone

from dofpilot.access import invitations, limits, people, tokens
from dofpilot.access.models import Invitation, InvitationState, User

pytestmark = pytest.mark.django_db

LATER = timedelta(days=1)


def expire(invitation: Invitation) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now())


def suspend(invitation: Invitation) -> None:
    User.objects.filter(pk=invitation.user_id).update(is_active=False)


def test_an_invitation_makes_a_person_without_password_or_personal_data():
    invitation, _token = invitations.invite("Grupo de prueba")
    person = invitation.user
    assert person.username.startswith("evaluador-")
    assert not person.has_usable_password()
    assert (person.email, person.first_name, person.last_name, person.is_staff) == ("", "", "", False)


def test_the_token_is_not_stored():
    invitation, token = invitations.invite("Grupo")
    row = Invitation.objects.filter(pk=invitation.pk).values().get()
    assert token not in str(row)
    assert token.rsplit("_", 1)[1] not in str(row)


def test_a_generated_pseudonym_is_never_taken(monkeypatch):
    offered = iter(["aaaa", "aaaa", "bbbb"])
    invitations.invite("uno", pseudonym="evaluador-aaaa")
    monkeypatch.setattr(tokens, "random_text", lambda length: next(offered) if length == 4 else "c" * length)
    assert invitations.invite("dos")[0].user.username == "evaluador-bbbb"


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("label", {"label": "  "}),
        ("label", {"label": "x" * 121}),
        ("pseudonym", {"label": "x", "pseudonym": "con espacios"}),
        ("pseudonym", {"label": "x", "pseudonym": "ana"}),
        ("pseudonym", {"label": "x", "pseudonym": "Consola"}),
        ("pseudonym", {"label": "x", "pseudonym": "admin"}),
        ("pseudonym", {"label": "x", "pseudonym": "nadie", "again": True}),
        ("pseudonym", {"label": "x", "again": True}),
        ("label", {"label": " ", "pseudonym": "ana", "again": True}),
        (
            "expires_at",
            {"label": "x", "pseudonym": "ana", "again": True, "expires_at": timezone.now() - LATER},
        ),
        ("expires_at", {"label": "x", "expires_at": timezone.now() - LATER}),
        ("runs_per_hour", {"label": "x", "runs_per_hour": 0}),
        ("runs_per_hour", {"label": "x", "runs_per_hour": -1}),
    ],
)
def test_a_wrong_invitation_names_its_field_and_leaves_nothing(field, given):
    invitations.invite("ya está", pseudonym="ana")
    with pytest.raises(ValidationError) as refused:
        invitations.invite(**given)
    assert set(refused.value.message_dict) == {field}
    assert (User.objects.count(), Invitation.objects.active().count()) == (1, 1)


def test_a_token_lets_its_person_in():
    invitation, token = invitations.invite("Ana", pseudonym="ana", expires_at=timezone.now() + LATER)
    assert invitations.authenticate(token) == invitation
    assert invitations.authenticate(token).user.username == "ana"


def test_the_prefix_alone_lets_nobody_in():
    invitation, token = invitations.invite("Ana")
    assert invitations.authenticate(f"dof_{invitation.prefix}_{'0' * 32}") is None
    assert invitations.authenticate(token[:-1] + ("1" if token[-1] == "0" else "0")) is None


@pytest.mark.parametrize(
    ("ending", "state"),
    [
        (invitations.revoke, InvitationState.REVOKED),
        (expire, InvitationState.EXPIRED),
        (suspend, InvitationState.SUSPENDED),
    ],
)
def test_an_ended_invitation_lets_nobody_in_and_says_its_state(ending, state):
    invitation, token = invitations.invite("Ana")
    ending(invitation)
    assert invitations.authenticate(token) is None
    assert Invitation.objects.get().state is state
    assert not Invitation.objects.get().is_active


def test_each_invitation_is_in_exactly_the_state_that_it_shows():
    for name, endings in {
        "active": [],
        "revoked": [invitations.revoke],
        "expired": [expire],
        "suspended": [suspend],
        "revoked-and-more": [expire, suspend, invitations.revoke],
        "expired-and-more": [expire, suspend],
    }.items():
        invitation, _token = invitations.invite(name, pseudonym=name)
        for ending in endings:
            ending(invitation)
    found = {
        invitation.label: state
        for state in InvitationState
        for invitation in Invitation.objects.in_state(state)
    }
    assert sum(Invitation.objects.in_state(state).count() for state in InvitationState) == 6
    assert found == {invitation.label: invitation.state for invitation in Invitation.objects.all()}


def test_revoking_twice_keeps_the_first_time():
    invitation, _token = invitations.invite("Ana")
    assert invitations.revoke(invitation) is True
    first = Invitation.objects.get().revoked_at
    assert invitations.revoke(Invitation.objects.get()) is False
    assert Invitation.objects.get().revoked_at == first


def test_who_lost_their_invitation_gets_another_and_stays_the_same_person(client):
    lost, lost_token = invitations.invite("Ana", pseudonym="ana")
    other, _token = invitations.invite("Beto", pseudonym="beto")
    found, token = invitations.invite("Ana, otra vez", pseudonym="ana", runs_per_hour=2, again=True)
    assert found.user == lost.user
    assert invitations.authenticate(token) == found
    assert invitations.authenticate(lost_token) is None
    assert set(Invitation.objects.active()) == {found, other}


@pytest.mark.parametrize("name", ["consola", "admin", "marta", "dora"])
def test_only_an_active_person_who_was_invited_gets_another(name):
    people.console_user()
    people.first_staff()
    User.objects.create_superuser("marta", password="una clave larga")
    suspend(invitations.invite("Dora", pseudonym="dora")[0])
    with pytest.raises(ValidationError) as refused:
        invitations.invite("x", pseudonym=name, again=True)
    assert set(refused.value.message_dict) == {"pseudonym"}
    assert Invitation.objects.count() == 1


def test_revoking_ends_the_sessions_of_that_invitation_alone(client, django_capture_on_commit_callbacks):
    mine, my_token = invitations.invite("Ana")
    other, other_token = invitations.invite("Beto")
    for token in (my_token, my_token, other_token):
        client.cookies.clear()
        assert client.post("/login", {"token": token}).status_code == 303
    assert Session.objects.count() == 3
    with django_capture_on_commit_callbacks() as at_the_end:
        invitations.revoke(mine)
    # Opening every session takes long: not while the one writer of SQLite is held.
    assert Session.objects.count() == 3
    for callback in at_the_end:
        callback()
    (left,) = Session.objects.all()
    assert left.get_decoded()["invitation_id"] == other.pk


def test_amending_changes_label_expiry_and_limit_and_nothing_else():
    invitation, _token = invitations.invite("Ana")
    invitations.revoke(Invitation.objects.get())
    invitation.label, invitation.runs_per_hour, invitation.token_hash = "Otra", 3, "0" * 64
    invitations.amend(invitation)
    stored = Invitation.objects.get()
    assert (stored.label, stored.runs_per_hour) == ("Otra", 3)
    assert stored.revoked_at is not None
    assert stored.token_hash != "0" * 64


def test_a_persons_limit_is_that_of_the_invitation_or_else_the_general_one(settings):
    settings.RUNS_PER_HOUR = 7
    general, _token = invitations.invite("sin límite propio")
    own, _token = invitations.invite("con límite propio", runs_per_hour=2)
    assert limits.runs_per_hour(general.user) == 7
    assert limits.runs_per_hour(own.user) == 2
    invitations.revoke(own)
    assert limits.runs_per_hour(own.user) == 7
