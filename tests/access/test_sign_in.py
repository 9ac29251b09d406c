"""The sign-in page: one field, no password, no oracle."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from dofpilot.access import invitations
from dofpilot.access.models import Invitation
from tests.cast import manager

pytestmark = pytest.mark.django_db

WRONG = "dof_00000000_" + "0" * 32
REFUSED = "Esta invitación no es válida"


@pytest.fixture
def token() -> str:
    return invitations.invite("Ana", pseudonym="ana")[1]


def refusal(client: Client, token: str) -> tuple[int, list[str]]:
    response = client.post("/login", {"token": token})
    return response.status_code, response.context["form"].errors["token"]


def test_an_invitation_signs_in(client, token):
    response = client.post("/login", {"token": f"  {token}\n"})
    assert (response.status_code, response["Location"]) == (303, "/")
    assert client.session["invitation_id"] == Invitation.objects.get().pk


def test_the_session_key_changes_at_sign_in(client, token):
    session = client.session
    session["something"] = "known before"
    session.save()
    before = session.session_key
    client.post("/login", {"token": token})
    assert client.session.session_key != before


def test_a_wrong_an_expired_and_a_revoked_invitation_get_the_same_words(client):
    expired, expired_token = invitations.invite("a", expires_at=timezone.now() + timedelta(days=1))
    Invitation.objects.filter(pk=expired.pk).update(expires_at=timezone.now())
    revoked, revoked_token = invitations.invite("b")
    invitations.revoke(revoked)
    answers = [refusal(client, text) for text in (WRONG, expired_token, revoked_token, "hola", "ñ\x01")]
    assert answers[0][0] == 422
    assert REFUSED in answers[0][1][0]
    assert all(answer == answers[0] for answer in answers)
    assert not client.session.keys()


def test_the_refused_token_is_not_echoed(client):
    assert WRONG not in client.post("/login", {"token": WRONG}).content.decode()


def test_an_empty_field_says_what_to_write(client):
    status, (message,) = refusal(client, " ")
    assert (status, message) == (422, "Escribe tu invitación.")


def test_a_refused_token_writes_nothing(client, token, django_assert_max_num_queries):
    with django_assert_max_num_queries(1):
        refusal(client, WRONG)


def test_signing_in_needs_the_forms_own_token_against_forgery(token):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post("/login", {"token": token}).status_code == 403


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("/privacy", "/privacy"),
        ("/runs/1?x=1", "/runs/1?x=1"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("http:///evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("\\\\evil.example", "/"),
        ("", "/"),
    ],
)
def test_next_leads_only_to_this_site(client, token, wanted, given):
    response = client.post("/login", {"token": token, "next": wanted})
    assert (response.status_code, response["Location"]) == (303, given)


def test_the_form_keeps_next(client):
    assert 'name="next" value="/privacy"' in client.get("/login?next=/privacy").content.decode()


def test_who_is_signed_in_already_is_sent_on(client, token):
    client.post("/login", {"token": token})
    assert client.get("/login?next=/privacy")["Location"] == "/privacy"


def test_staff_who_signed_in_to_the_admin_may_use_the_site(client):
    client.force_login(manager())
    assert client.get("/").status_code == 200


def test_signing_out_ends_the_session_and_only_by_post(client, token):
    client.post("/login", {"token": token})
    assert client.get("/logout").status_code == 405
    assert "_auth_user_id" in client.session
    response = client.post("/logout")
    assert (response.status_code, response["Location"]) == (303, "/login")
    assert "_auth_user_id" not in client.session


def test_the_page_on_privacy_is_open_to_everybody_and_says_whether_questions_leave_the_site(
    client, monkeypatch
):
    kept = client.get("/privacy")
    monkeypatch.setattr("dofpilot.access.views.sends_to_a_model", lambda: True)
    sent = client.get("/privacy")
    assert "tu pregunta no sale de este sitio" in kept.content.decode()
    assert "tu pregunta no sale de este sitio" not in sent.content.decode()
    assert "se envían al servidor de ese modelo" in sent.content.decode()


def test_the_page_on_privacy_promises_no_deletion_that_the_database_refuses(client):
    page = client.get("/privacy").content.decode()
    assert "no tiene manera de cambiarlas ni de borrarlas" in page
    assert "Escribe a quien te invitó" in page
