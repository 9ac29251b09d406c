"""What every answer carries, and what no request leaves behind (DESIGN §11)."""

from __future__ import annotations

import logging

import pytest
from django.apps import apps
from django.test import Client

from dofpilot.access import invitations
from runs.models import Run
from tests.cast import manager

pytestmark = pytest.mark.django_db

ADDRESS = "203.0.113.7"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/login",
        "/privacy",
        "/nada",
        "/admin/",
        "/admin/login/",
        "/admin/runs/run/",
        "/admin/access/user/add/",
        "/api/v1/openapi.json",
    ],
)
@pytest.mark.parametrize("who", ["staff", "a stranger"])
def test_every_answer_forbids_inline_code_and_style(client, path, who):
    if who == "staff":
        client.force_login(manager())
    policy = client.get(path)["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";") if rule.strip())
    assert (rules["default-src"], rules["script-src"], rules["style-src"]) == ("'none'", "'self'", "'self'")
    assert "unsafe" not in policy


def visit(client: Client, token: str) -> list[int]:
    """A visit with everything in it that could tell an address: refusals, errors, writes."""
    bearer = {"Authorization": f"Bearer {token}"}
    asked = {"question": "¿Qué rige en 2026?", "as_of": "2026-04-24", "required_hops": "1"}
    strict = Client(enforce_csrf_checks=True, REMOTE_ADDR=ADDRESS, raise_request_exception=False)
    answers = [
        client.post("/login", {"token": "dof_falsa"}),
        client.get("/api/v1/runs", headers={"Authorization": "Bearer nada"}),
        strict.post("/login", {"token": token}),
        client.post("/login", {"token": token}),
        client.post("/", {**asked, "client_request_id": "a-1"}),
        client.post("/", {**asked, "client_request_id": ""}),
        client.post("/", "x" * 20_000, content_type="text/plain"),
        client.get("/nada"),
        client.get("/api/v1/nada"),
        client.put("/api/v1/runs"),
        client.post("/api/v1/runs", "{", content_type="application/json", headers=bearer),
        client.get("/", headers={"Host": "evil.example"}),
    ]
    run = Run.objects.get()
    answers.append(client.post(f"/runs/{run.pk}/cancel"))
    answers.append(client.post(f"/runs/{run.pk}/feedback", {"rating": "helpful", "comment": "Bien."}))
    return [answer.status_code for answer in answers]


def test_no_address_of_a_client_is_logged_or_stored(settings, sample_corpus, monkeypatch, caplog):
    settings.CORPUS = sample_corpus
    caplog.set_level(logging.DEBUG)
    _invitation, token = invitations.invite("Ana", pseudonym="ana")
    behind_a_proxy = {"X-Forwarded-For": ADDRESS, "X-Real-IP": ADDRESS, "Forwarded": f"for={ADDRESS}"}
    client = Client(REMOTE_ADDR=ADDRESS, headers=behind_a_proxy, raise_request_exception=False)

    statuses = visit(client, token)
    monkeypatch.setattr("runs.views.manifest_summary", lambda: 1 / 0)
    monkeypatch.setattr("runs.api.manifest_summary", lambda: 1 / 0)
    statuses += [client.get(path).status_code for path in ("/", "/api/v1/capabilities")]

    assert {303, 400, 401, 403, 404, 405, 413, 422, 500} <= set(statuses)
    assert "ZeroDivisionError" in caplog.text
    assert ADDRESS not in caplog.text
    for model in apps.get_models():
        assert ADDRESS not in str(list(model._default_manager.values())), model
