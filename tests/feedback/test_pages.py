"""The feedback form: own ended runs, what was typed is kept."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from feedback.models import Feedback
from tests.cast import asker, finished_run, manager, waiting_run

pytestmark = pytest.mark.django_db

OPINION = {"rating": "not_helpful", "problems": ["bad_citation", "other"], "comment": "La cita no dice eso."}


@pytest.fixture
def run(client):
    run = finished_run(asker(), {"answer": None})
    client.force_login(run.evaluator)
    return run


def address(run) -> str:
    return f"/runs/{run.pk}/feedback"


def test_an_opinion_is_saved_and_leads_back_to_the_run(client, run):
    response = client.post(address(run), OPINION)
    assert (response.status_code, response["Location"]) == (303, f"/runs/{run.pk}")
    stored = Feedback.objects.get()
    assert (stored.run, stored.evaluator) == (run, run.evaluator)
    assert {name: getattr(stored, name) for name in OPINION} == OPINION


def test_what_was_sent_is_shown(client, run):
    client.post(address(run), OPINION)
    page = client.get(address(run)).content.decode()
    assert "La cita no dice eso." in page
    assert "Una cita no dice lo que se afirma" in page
    assert "Tu opinión se guardó" in page


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("rating", {"rating": ""}),
        ("rating", {"rating": "great"}),
        ("problems", {"problems": ["bad_citation", "unknown"]}),
        ("comment", {"comment": "x" * 2_001}),
        ("comment", {"comment": "a\0b"}),
    ],
)
def test_a_wrong_opinion_is_explained_and_what_was_typed_is_kept(client, run, field, wrong):
    response = client.post(address(run), OPINION | wrong)
    form = response.context["form"]
    assert response.status_code == 422
    assert list(form.errors) == [field]
    assert form["comment"].value() == (OPINION | wrong)["comment"]
    assert form["problems"].value() == (OPINION | wrong)["problems"]
    assert not Feedback.objects.exists()


def test_a_comment_is_inert(client, run):
    client.post(address(run), OPINION | {"comment": "<script>alert(1)</script>"})
    assert b"<script>alert(1)" not in client.get(address(run)).content


@pytest.mark.parametrize("method", ["get", "post"])
def test_another_persons_run_does_not_exist(client, run, method):
    for other in (asker("beto"), manager()):
        client.force_login(other)
        assert getattr(client, method)(address(run), OPINION).status_code == 404
    assert getattr(client, method)(f"/runs/{uuid.uuid4()}/feedback", OPINION).status_code == 404
    assert not Feedback.objects.exists()


def test_a_run_that_goes_on_cannot_be_rated_and_the_text_is_kept(client):
    run = waiting_run(asker())
    client.force_login(run.evaluator)
    response = client.post(address(run), OPINION)
    assert response.status_code == 409
    assert "La cita no dice eso." in response.content.decode()
    assert not Feedback.objects.exists()


def test_a_stranger_is_sent_to_sign_in_and_back(run):
    response = Client().post(address(run), OPINION)
    assert (response.status_code, response["Location"]) == (302, f"/login?next=/runs/{run.pk}/feedback")


def test_rating_needs_the_forms_own_token_against_forgery(run):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(run.evaluator)
    assert strict.post(address(run), OPINION).status_code == 403
