"""A database that does not answer in time is said to be busy, and nothing is half done."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.test import Client

from dofpilot.access import invitations
from runs import admission
from runs.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _locked(monkeypatch, settings, sample_corpus):
    settings.CORPUS = sample_corpus

    def locked(_evaluator):
        raise OperationalError("database is locked")

    monkeypatch.setattr(admission, "_check_active", locked)


def test_the_api_and_the_page_say_so_and_when_to_come_back():
    invitation, token = invitations.invite(label="ana", pseudonym="ana")
    client = Client(raise_request_exception=False)
    asked = {"question": "¿Qué rige?", "as_of": "2026-04-24", "required_hops": 1, "client_request_id": "a"}
    api = client.post(
        "/api/v1/runs", asked, content_type="application/json", headers={"Authorization": f"Bearer {token}"}
    )
    assert api.json()["code"] == "database_busy"
    client.force_login(invitation.user)
    page = client.post("/", asked)
    assert "El sitio está ocupado" in page.content.decode()
    for response in (api, page):
        assert (response.status_code, response["Retry-After"]) == (503, "10")
    assert not Run.objects.exists()
