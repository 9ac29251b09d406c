"""Who is behind a request: sessions that end with their invitation, bearers, streams."""

from __future__ import annotations

from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.test import RequestFactory
from django.utils import timezone

from dofpilot.access import bearer, invitations
from dofpilot.access.current import invitation_of, still_allowed
from dofpilot.access.middleware import InvitationMiddleware
from dofpilot.access.models import Invitation, User
from tests.cast import manager

ENDINGS = {
    "revoked": lambda invitation: Invitation.objects.update(revoked_at=timezone.now()),
    "expired": lambda invitation: Invitation.objects.update(expires_at=timezone.now()),
    "suspended": lambda invitation: User.objects.update(is_active=False),
}
ending = pytest.mark.parametrize("end", ENDINGS.values(), ids=ENDINGS)


@pytest.fixture
def invited(db) -> tuple[Invitation, str]:
    return invitations.invite("Ana", pseudonym="ana")


may_go_on = async_to_sync(still_allowed)


def request_of(session_key: str | None, **headers: str):
    request = RequestFactory().get("/", headers=headers)
    request.session = SessionStore(session_key)
    request.user = AnonymousUser()
    InvitationMiddleware(lambda request: None).process_request(request)
    return request


@pytest.fixture
def by_session(client, invited):
    client.post("/login", {"token": invited[1]})
    return request_of(client.session.session_key)


@pytest.fixture
def by_bearer(invited):
    request = request_of(None)
    bearer.authenticate(request, invited[1])
    return request


@pytest.fixture
def by_password(client, db):
    client.force_login(manager())
    return request_of(client.session.session_key)


@ending
def test_a_session_ends_with_its_invitation(client, invited, end):
    client.post("/login", {"token": invited[1]})
    assert client.get("/").status_code == 200
    end(invited[0])
    response = client.get("/")
    assert (response.status_code, response["Location"]) == (302, "/login?next=/")
    assert not Session.objects.exists()


async def test_a_session_ends_with_its_invitation_under_asgi_too(async_client, transactional_db):
    _invitation, token = await sync_to_async(invitations.invite)("Ana")
    await async_client.post("/login", {"token": token})
    assert (await async_client.get("/")).status_code == 200
    await Invitation.objects.aupdate(revoked_at=timezone.now())
    assert (await async_client.get("/")).status_code == 302


def test_a_request_knows_its_invitation(by_session, invited):
    assert invitation_of(by_session) == invited[0]


def test_staff_and_strangers_have_no_invitation(by_password, db):
    assert invitation_of(by_password) is None
    assert invitation_of(request_of(None)) is None


def test_a_bearer_is_let_in_by_an_active_invitation_alone(by_bearer, invited):
    invitation, token = invited
    assert by_bearer.user == invitation.user
    assert invitation_of(by_bearer) == invitation
    invitations.revoke(invitation)
    request = request_of(None)
    assert bearer.authenticate(request, token) is None
    assert bearer.authenticate(request, "") is None
    assert request.user.is_anonymous


@pytest.mark.parametrize("way", ["by_session", "by_bearer", "by_password"])
def test_a_stream_may_go_on_while_nothing_changed(request, way):
    assert may_go_on(request.getfixturevalue(way))


@pytest.mark.parametrize("way", ["by_session", "by_bearer"])
@ending
def test_a_stream_ends_with_its_invitation(request, way, end):
    reader = request.getfixturevalue(way)
    end(None)
    assert not may_go_on(reader)


@pytest.mark.parametrize("way", ["by_session", "by_password"])
def test_a_stream_ends_with_its_session(request, way):
    reader = request.getfixturevalue(way)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    assert not may_go_on(reader)
    Session.objects.all().delete()
    assert not may_go_on(reader)


def test_a_stream_of_staff_ends_when_they_are_deactivated(by_password):
    User.objects.update(is_active=False)
    assert not may_go_on(by_password)


def test_a_stranger_may_not_stream(db):
    assert not may_go_on(request_of(None))
