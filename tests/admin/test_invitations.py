"""Invitations in the admin: made once, revoked with confirmation, never shown again."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from dofpilot.access import invitations
from dofpilot.access.models import Invitation, InvitationState, User
from tests.cast import curator, finished_run, manager

pytestmark = pytest.mark.django_db

LIST = "/admin/access/invitation/"
ADD = f"{LIST}add/"
TOKEN = re.compile(r"dof_[0-9a-z]{8}_[0-9a-z]{32}")
NEW = {"label": "Grupo piloto", "pseudonym": "", "expires_at_0": "", "expires_at_1": "", "runs_per_hour": ""}


@pytest.fixture
def invitation() -> Invitation:
    return invitations.invite("Ana", pseudonym="ana")[0]


@pytest.fixture
def staff(client):
    """Somebody who manages, signed in."""
    client.force_login(manager())
    return client


def change(invitation: Invitation) -> str:
    return f"{LIST}{invitation.pk}/change/"


def revocation(invitation: Invitation) -> str:
    return f"{LIST}{invitation.pk}/revoke/"


def chosen(*invitations: Invitation, **more: str) -> dict[str, object]:
    return {"action": "revoke_selected", "_selected_action": [each.pk for each in invitations], **more}


def said(response) -> str:
    return " ".join(str(message) for message in response.context["messages"])


# --- making one -------------------------------------------------------------------------------------


def test_a_new_invitation_shows_its_token_exactly_once(staff):
    assert staff.get(ADD).status_code == 200
    shown = staff.post(ADD, NEW, follow=True).content.decode()
    (token,) = TOKEN.findall(shown)
    assert invitations.authenticate(token) == Invitation.objects.get()
    for address in (LIST, change(Invitation.objects.get()), f"{LIST}{Invitation.objects.get().pk}/history/"):
        assert not TOKEN.search(staff.get(address).content.decode())


def test_a_new_invitation_takes_all_that_was_filled_in(staff):
    staff.post(
        ADD,
        NEW
        | {"pseudonym": "beto", "expires_at_0": "2100-01-31", "expires_at_1": "12:00", "runs_per_hour": "4"},
    )
    made = Invitation.objects.get()
    assert (made.user.username, made.runs_per_hour) == ("beto", 4)
    assert timezone.localtime(made.expires_at).strftime("%Y-%m-%d %H:%M") == "2100-01-31 12:00"


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("label", {"label": ""}),
        ("pseudonym", {"pseudonym": "ana"}),
        ("pseudonym", {"pseudonym": "a b"}),
        ("pseudonym", {"pseudonym": "nadie", "again": "on"}),
        ("pseudonym", {"pseudonym": "", "again": "on"}),
        ("expires_at", {"expires_at_0": "2001-01-31", "expires_at_1": "12:00"}),
        ("runs_per_hour", {"runs_per_hour": "0"}),
    ],
)
def test_a_wrong_invitation_is_explained_at_its_field(staff, invitation, field, wrong):
    response = staff.post(ADD, NEW | wrong)
    assert response.status_code == 200
    assert list(response.context["adminform"].form.errors) == [field]
    assert Invitation.objects.count() == 1


def test_who_may_only_look_cannot_make_one(client, invitation):
    client.force_login(curator())
    assert client.get(LIST).status_code == 200
    assert client.post(ADD, NEW).status_code == 403
    assert Invitation.objects.count() == 1


def test_label_expiry_and_limit_can_be_changed_and_nothing_else(staff, invitation):
    before = Invitation.objects.values().get()
    staff.post(
        change(invitation),
        NEW | {"label": "Otra", "runs_per_hour": "2", "prefix": "x", "token_hash": "x", "user": "1"},
    )
    assert Invitation.objects.values().get() == before | {"label": "Otra", "runs_per_hour": 2}


def test_no_invitation_can_be_deleted(staff, invitation):
    assert staff.post(f"{LIST}{invitation.pk}/delete/", {"post": "yes"}).status_code == 403
    staff.post(LIST, {"action": "delete_selected", "_selected_action": [invitation.pk], "post": "yes"})
    assert Invitation.objects.exists()


# --- revoking one -----------------------------------------------------------------------------------


def test_the_page_of_an_invitation_offers_to_revoke_it(staff, invitation):
    assert revocation(invitation) in staff.get(change(invitation)).content.decode()
    invitations.revoke(invitation)
    assert revocation(invitation) not in staff.get(change(invitation)).content.decode()


def test_opening_the_revocation_explains_and_does_nothing(staff, invitation):
    response = staff.get(revocation(invitation))
    assert response.status_code == 200
    assert "no se puede deshacer" in response.content.decode()
    assert Invitation.objects.get().is_active


def test_an_unconfirmed_revocation_does_nothing(staff, invitation):
    assert staff.post(revocation(invitation)).status_code == 200
    assert Invitation.objects.get().is_active


def test_a_confirmed_revocation_revokes_and_is_in_the_history(staff, invitation):
    response = staff.post(revocation(invitation), {"confirm": "yes"}, follow=True)
    assert response.redirect_chain == [(change(invitation), 303)]
    assert "Se revocó 1 invitación" in said(response)
    assert Invitation.objects.get().state is InvitationState.REVOKED
    assert "Revocada." in staff.get(f"{LIST}{invitation.pk}/history/").content.decode()


def test_revoking_again_explains_and_changes_nothing(staff, invitation):
    invitations.revoke(invitation)
    before = Invitation.objects.get().revoked_at
    response = staff.post(revocation(invitation), {"confirm": "yes"}, follow=True)
    assert "ya estaba revocada" in said(response)
    assert Invitation.objects.get().revoked_at == before


def test_revoking_what_does_not_exist_is_not_found(staff):
    assert staff.post(f"{LIST}77/revoke/", {"confirm": "yes"}).status_code == 404


@pytest.mark.parametrize("method", ["get", "post"])
def test_revoking_needs_its_own_permission(client, invitation, method):
    reader = curator()
    client.force_login(reader)
    call = getattr(client, method)
    assert revocation(invitation) not in client.get(change(invitation)).content.decode()
    assert call(revocation(invitation), {"confirm": "yes"}).status_code == 403
    assert Invitation.objects.get().is_active
    reader.user_permissions.add(Permission.objects.get(codename="revoke_invitation"))
    assert call(revocation(invitation), {"confirm": "yes"}).status_code in (200, 303)


def test_revoking_needs_staff(client, invitation):
    client.force_login(invitation.user)
    response = client.post(revocation(invitation), {"confirm": "yes"})
    assert response["Location"].startswith("/admin/login/")
    assert Invitation.objects.get().is_active


# --- revoking several -------------------------------------------------------------------------------


def test_the_action_asks_first(staff, invitation):
    response = staff.post(LIST, chosen(invitation))
    assert response.status_code == 200
    assert f'name="_selected_action" value="{invitation.pk}"' in response.content.decode()
    assert Invitation.objects.get().is_active


def test_the_confirmed_action_revokes_each_and_reports_what_it_skipped(staff, invitation):
    ended, _token = invitations.invite("Beto")
    left, _token = invitations.invite("Caro")
    invitations.revoke(ended)
    response = staff.post(LIST, chosen(invitation, ended, confirm="yes"), follow=True)
    assert "Se revocó 1 invitación" in said(response)
    assert f"{ended} ya estaba revocada" in said(response)
    assert list(Invitation.objects.active()) == [left]


def test_the_action_needs_its_own_permission(client, invitation):
    reader = curator()
    client.force_login(reader)
    client.post(LIST, chosen(invitation, confirm="yes"))
    assert Invitation.objects.get().is_active
    reader.user_permissions.add(Permission.objects.get(codename="revoke_invitation"))
    client.post(LIST, chosen(invitation, confirm="yes"))
    assert not Invitation.objects.get().is_active


# --- finding one ------------------------------------------------------------------------------------


def test_the_list_filters_by_state(staff):
    ends = timezone.now() + timedelta(days=1)
    active, _token = invitations.invite("sigue", expires_at=ends)
    revoked, _token = invitations.invite("se acabó")
    invitations.revoke(revoked)
    for state, expected in (("active", [active]), ("revoked", [revoked]), ("expired", [])):
        assert list(staff.get(LIST, {"state": state}).context["cl"].result_list) == expected


def test_the_list_searches_label_prefix_and_pseudonym(staff, invitation):
    invitations.invite("Beto", pseudonym="beto")
    for text in ("Ana", invitation.prefix, "ana"):
        assert [each.pk for each in staff.get(LIST, {"q": text}).context["cl"].result_list] == [invitation.pk]


def test_the_list_tells_how_many_questions_were_asked_and_when_last(staff, invitation):
    last = [finished_run(invitation.user, {"answer": None}) for _ in range(2)][-1]
    unused, _token = invitations.invite("Beto")
    rows = {each.pk: each for each in staff.get(LIST).context["cl"].result_list}
    assert (rows[invitation.pk].run_count, rows[invitation.pk].last_run_at) == (2, last.created_at)
    assert (rows[unused.pk].run_count, rows[unused.pk].last_run_at) == (0, None)


def test_the_list_takes_as_many_queries_for_many_as_for_one(staff, django_assert_max_num_queries):
    for number in range(12):
        invitations.invite(f"{number}", pseudonym=f"p{number}")
    with django_assert_max_num_queries(12):
        staff.get(LIST)


# --- inviting somebody again ------------------------------------------------------------------------


def test_the_page_of_an_invitation_leads_to_a_new_one_for_its_person(staff, invitation):
    offered = f"{ADD}?again=1&pseudonym=ana&label=Ana"
    assert offered.replace("&", "&amp;") in staff.get(change(invitation)).content.decode()
    form = staff.get(offered).context["adminform"].form
    assert [form[name].value() for name in ("label", "pseudonym", "again")] == ["Ana", "ana", "1"]
    shown = staff.post(ADD, NEW | {"pseudonym": "ana", "again": "on"}, follow=True).content.decode()
    (token,) = TOKEN.findall(shown)
    assert invitations.authenticate(token).user == invitation.user
    assert Invitation.objects.get(pk=invitation.pk).state is InvitationState.REVOKED


def test_inviting_again_needs_the_permission_to_revoke(client, invitation):
    inviter = curator()
    inviter.user_permissions.add(Permission.objects.get(codename="add_invitation"))
    client.force_login(inviter)
    assert "again=1" not in client.get(change(invitation)).content.decode()
    again = NEW | {"pseudonym": "ana", "again": "on"}
    assert client.post(ADD, again).status_code == 403
    assert Invitation.objects.get().is_active
    inviter.user_permissions.add(Permission.objects.get(codename="revoke_invitation"))
    assert client.post(ADD, again).status_code == 302


# --- people -----------------------------------------------------------------------------------------


def person(user: User, what: str = "change/") -> str:
    return f"/admin/access/user/{user.pk}/{what}"


def test_an_evaluator_is_shown_and_cannot_be_changed(staff, invitation):
    assert "ana" in staff.get("/admin/access/user/").content.decode()
    assert staff.get(person(invitation.user)).status_code == 200
    before = User.objects.filter(pk=invitation.user_id).values().get()
    password = {"password1": "una clave muy larga", "password2": "una clave muy larga"}
    for what in ("change/", "password/", "delete/"):
        sent = {"username": "otra", "is_staff": "on", "post": "yes", **password}
        assert staff.post(person(invitation.user, what), sent).status_code == 403
    chosen = {"action": "delete_selected", "_selected_action": [invitation.user_id], "post": "yes"}
    staff.post("/admin/access/user/", chosen)
    assert User.objects.filter(pk=invitation.user_id).values().get() == before


def test_staff_are_made_with_a_password_and_can_be_changed(staff):
    assert 'name="usable_password"' not in staff.get("/admin/access/user/add/").content.decode()
    password = {"password1": "Una-clave-larga", "password2": "Una-clave-larga"}
    staff.post("/admin/access/user/add/", {"username": "carmen", **password})
    carmen = User.objects.get(username="carmen")
    assert carmen.has_usable_password()
    assert staff.get(person(carmen)).context["has_change_permission"]
    assert staff.post(person(carmen, "delete/"), {"post": "yes"}).status_code == 302
    assert not User.objects.filter(username="carmen").exists()


def test_the_admin_bears_the_sites_name(staff):
    assert "dofpilot" in staff.get("/admin/").content.decode()
