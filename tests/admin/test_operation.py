"""«Operación»: who sees how the site works, and who pauses and resumes new questions."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings
from runs import lifecycle, pause, presence
from runs.models import AdmissionChange, ProviderHealth, Worker
from tests.cast import asker, curator, failed_run, finished_run, manager, waiting_run
from tests.pages.html import parse

pytestmark = pytest.mark.django_db

PAGE = "/admin/runs/admissionchange/operation/"
PAUSE, RESUME = "/admin/runs/admissionchange/pause/", "/admin/runs/admissionchange/resume/"
YES = {"reason": "Se actualiza el acervo", "confirm": "yes"}
MODELS = [AdmissionChange, Worker, ProviderHealth]


@pytest.fixture
def staff(client):
    """Somebody who manages, signed in."""
    client.force_login(manager())
    return client


def person(*permissions: str):
    staff = curator("paula")
    staff.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return staff


def text(response) -> str:
    assert response.status_code == 200
    return parse(response.content).one(id="content").text


def said(response) -> str:
    return " ".join(str(message) for message in response.context["messages"])


# --- seeing -----------------------------------------------------------------------------------------


def test_a_site_where_nothing_happens_is_told_as_such(staff):
    told = text(staff.get(PAGE))
    for sentence in ("Se aceptan", "Ningún trabajador", "nadie espera", "Ninguna terminó en la última hora."):
        assert sentence in told
    assert "no depende de ningún servidor" in told


def test_it_tells_workers_queue_and_ends(staff, settings):
    settings.MODEL_CONCURRENCY = 2
    presence.began("uno:/var")
    presence.began("dos:/var")
    Worker.objects.filter(name="dos:/var").update(seen_at=timezone.now() - timedelta(minutes=5))
    for name in ("ana", "beto"):
        finished_run(asker(name), {"answer": None})
    failed_run(asker("caro"), FailureCode.RATE_LIMITED)
    for name in ("dora", "eva", "flor"):
        waiting_run(asker(name))
    lifecycle.claim_next("w", at_most=2)

    page = parse(staff.get(PAGE).content)

    rows = [[cell.text for cell in (*row.all("th"), *row.all("td"))] for row in page.all("tr")]
    states = {row[0]: row[-1] for row in rows}
    assert (states["uno:/var"], states["dos:/var"]) == ("● trabaja", "▲ sin señal")
    assert (states["En espera"], states["En curso"]) == ("2", "1 de 2 a la vez")
    assert states["Quien más espera"] == "menos de 1 s"
    ends = page.one(class_="ends").all("tr")
    assert [(row.one("th").text, row.one(class_="count").text) for row in ends] == [
        ("● terminadas", "2"),
        ("▲ rate_limited", "1"),
    ]
    assert [bar.attributes["width"] for bar in page.all("rect")] == ["100", "50"]


def test_what_ended_longer_ago_than_an_hour_does_not_count(staff, monkeypatch):
    finished_run(asker(), {"answer": None})
    later = timezone.now() + timedelta(minutes=61)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert "Ninguna terminó en la última hora." in text(staff.get(PAGE))


def test_it_tells_what_was_seen_of_the_models_server(staff, settings):
    settings.PROVIDER = ProviderSettings(ProviderName.OPENAI_CHAT, "m", base_url="http://models.example/v1")
    assert "Sin comprobar" in text(staff.get(PAGE))
    now = timezone.now()
    row = ProviderHealth.objects.create(
        server="openai-chat m http://models.example/v1",
        state="unavailable",
        detail="HTTP 503 overloaded",
        since=now - timedelta(seconds=30),
        checked_at=now,
    )
    told = text(staff.get(PAGE))
    assert "▲ No responde" in told
    assert "HTTP 503 overloaded" in told
    assert "No se aceptan preguntas nuevas por el estado del modelo." in told
    ProviderHealth.objects.filter(pk=row.pk).update(checked_at=now - timedelta(hours=1))
    told = text(staff.get(PAGE))
    assert "ya no es reciente" in told
    assert "No se aceptan preguntas nuevas por el estado del modelo." not in told


def test_no_style_stands_in_the_page_which_the_content_policy_forbids(staff):
    finished_run(asker(), {"answer": None})
    page = parse(staff.get(PAGE).content).one(id="content")
    assert page.all("rect")
    assert not [node for node in page.all() if "style" in node.attributes or node.tag in ("style", "script")]


def test_the_index_leads_there_who_may_see_it(client):
    client.force_login(person("view_claim"))
    assert PAGE in client.get("/admin/").content.decode()
    client.force_login(curator("otra"))
    reader = person_without_claims()
    client.force_login(reader)
    assert PAGE not in client.get("/admin/").content.decode()


def person_without_claims():
    reader = curator("nadie")
    reader.user_permissions.set(Permission.objects.filter(codename="view_run"))
    return reader


@pytest.mark.parametrize("address", [PAGE, PAUSE, RESUME])
def test_who_is_no_staff_is_asked_to_sign_in(client, address):
    client.force_login(asker())
    assert client.get(address).status_code == 302


def test_it_is_seen_by_who_may_see_claims_without_the_buttons(client):
    client.force_login(person("view_claim"))
    page = parse(client.get(PAGE).content)
    assert not page.one(id="content").all("form")
    client.force_login(person_without_claims())
    assert client.get(PAGE).status_code == 403


# --- pausing and resuming ---------------------------------------------------------------------------


@pytest.mark.parametrize("address", [PAUSE, RESUME])
@pytest.mark.parametrize("permissions", [(), ("view_claim",), ("pause_admission",)])
def test_without_both_permissions_nothing_is_explained_or_changed(client, address, permissions):
    pause.pause("Antes", None)
    client.force_login(person(*permissions))
    assert client.get(address).status_code == 403
    assert client.post(address, YES).status_code == 403
    assert AdmissionChange.objects.count() == 1


def test_the_permission_to_pause_is_enough_with_that_to_see(client):
    client.force_login(person("view_claim", "pause_admission"))
    assert client.post(PAUSE, YES).status_code == 303
    assert client.post(RESUME, {"confirm": "yes"}).status_code == 303
    assert AdmissionChange.objects.count() == 2


def test_a_get_explains_and_changes_nothing(staff):
    assert "Nadie podrá hacer preguntas nuevas" in text(staff.get(PAUSE, YES))
    assert not AdmissionChange.objects.exists()
    pause.pause("Antes", None)
    assert "Al aceptarlas" in text(staff.get(RESUME, {"confirm": "yes"}))
    assert AdmissionChange.objects.count() == 1


def test_an_unconfirmed_post_changes_nothing_and_keeps_the_reason(staff):
    page = parse(staff.post(PAUSE, {"reason": "Se actualiza el acervo"}).content)
    assert page.one("input", id="reason").attributes["value"] == "Se actualiza el acervo"
    assert not AdmissionChange.objects.exists()
    pause.pause("Antes", None)
    assert staff.post(RESUME).status_code == 200
    assert AdmissionChange.objects.count() == 1


def test_a_confirmed_post_pauses_and_the_page_tells_who_and_why(staff):
    response = staff.post(PAUSE, YES, follow=True)
    assert "quedaron en pausa" in said(response)
    assert response.redirect_chain == [(PAGE, 303)]
    assert "▲ En pausa" in text(response)
    assert "por marta" in text(response)
    assert "Se actualiza el acervo" in text(response)
    assert pause.current().by.username == "marta"


def test_a_confirmed_post_resumes(staff):
    pause.pause("Antes", None)
    response = staff.post(RESUME, {"confirm": "yes"}, follow=True)
    assert "Ya se aceptan preguntas nuevas." in said(response)
    assert "● Se aceptan" in text(response)


def test_a_reason_that_says_nothing_is_refused_beside_its_field(staff):
    response = staff.post(PAUSE, {"reason": "  ", "confirm": "yes"})
    assert "Escribe el motivo" in parse(response.content).one(class_="errornote").text
    assert not AdmissionChange.objects.exists()


def test_pausing_again_for_the_same_reason_is_told_to_have_changed_nothing(staff):
    pause.pause(YES["reason"], None)
    assert "no cambió nada" in said(staff.post(PAUSE, YES, follow=True))
    assert AdmissionChange.objects.count() == 1


def test_a_paused_site_offers_to_change_the_reason(staff):
    pause.pause("Antes", None)
    page = parse(staff.get(PAUSE).content)
    assert "Ya están en pausa desde" in page.one(id="content").text
    assert page.one("input", id="reason").attributes["value"] == "Antes"
    staff.post(PAUSE, YES)
    assert pause.current().reason == YES["reason"]


def test_an_open_site_is_told_to_have_nothing_to_resume(staff):
    page = parse(staff.get(RESUME).content).one(id="content")
    assert "no están en pausa" in page.text
    assert not page.all("form")
    assert "no cambió nada" in said(staff.post(RESUME, {"confirm": "yes"}, follow=True))
    assert not AdmissionChange.objects.exists()


def test_a_reason_is_text_and_no_markup(staff):
    pause.pause("<img src=x onerror=alert(1)>", None)
    for address in (PAGE, PAUSE, RESUME, "/admin/runs/admissionchange/"):
        assert "<img src=x" not in staff.get(address).content.decode()


# --- the tables -------------------------------------------------------------------------------------


@pytest.fixture
def filled(staff):
    pause.pause("Antes", None)
    presence.began("uno:/var")
    now = timezone.now()
    ProviderHealth.objects.create(server="openai-chat m", state="available", since=now, checked_at=now)
    return staff


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_table_is_read_and_never_written_superusers_included(filled, model):
    row, before = model.objects.get(), list(model.objects.values())
    table = f"/admin/runs/{model._meta.model_name}/"
    assert filled.get(table, {"q": "zzz"}).status_code == 200
    assert str(row) in filled.get(f"{table}{row.pk}/change/").content.decode()
    for what in ("add/", f"{row.pk}/change/", f"{row.pk}/delete/"):
        assert filled.post(f"{table}{what}", {"post": "yes"}).status_code == 403
    filled.post(table, {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert list(model.objects.values()) == before


def test_the_log_of_pauses_tells_who(filled):
    assert "desde la consola" in text(filled.get("/admin/runs/admissionchange/"))
