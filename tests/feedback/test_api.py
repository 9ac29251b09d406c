"""Opinions over the JSON API."""

from __future__ import annotations

import pytest

from dofpilot.access import invitations
from feedback.models import Feedback
from tests.cast import asker, finished_run, waiting_run

pytestmark = pytest.mark.django_db

OPINION = {"rating": "not_helpful", "problems": ["bad_citation"], "comment": "La cita no dice eso."}


@pytest.fixture
def bearer():
    """Headers of one person, and the person."""
    invitation, token = invitations.invite("Ana", pseudonym="ana")
    return {"Authorization": f"Bearer {token}"}, invitation.user


def post(client, run, headers, body):
    return client.post(
        f"/api/v1/runs/{run.pk}/feedback", body, content_type="application/json", headers=headers
    )


def test_an_opinion_is_added_and_listed_newest_first(client, bearer):
    headers, person = bearer
    run = finished_run(person, {"answer": None})
    created = post(client, run, headers, OPINION)
    post(client, run, headers, {"rating": "helpful"})
    assert created.status_code == 201
    assert OPINION.items() <= created.json().items()
    listed = client.get(f"/api/v1/runs/{run.pk}/feedback", headers=headers).json()["feedback"]
    assert [opinion["rating"] for opinion in listed] == ["helpful", "not_helpful"]
    assert listed[1] == created.json()


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("rating", {"rating": "great"}),
        ("rating", {"rating": 5}),
        ("problems", {"problems": ["too_long"]}),
        ("comment", {"comment": "x" * 2_001}),
        ("stars", {"stars": 5}),
    ],
)
def test_a_wrong_opinion_is_a_problem_that_names_its_field(client, bearer, field, wrong):
    headers, person = bearer
    response = post(client, finished_run(person, {"answer": None}), headers, OPINION | wrong)
    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")
    assert {"code": "invalid", "field": field}.items() <= response.json().items()
    assert not Feedback.objects.exists()


def test_a_run_that_goes_on_cannot_be_rated(client, bearer):
    headers, person = bearer
    response = post(client, waiting_run(person), headers, OPINION)
    assert (response.status_code, response.json()["code"]) == (409, "not_finished")


def test_another_persons_run_does_not_exist(client, bearer):
    run = finished_run(asker("beto"), {"answer": None})
    assert post(client, run, bearer[0], OPINION).status_code == 404
    assert client.get(f"/api/v1/runs/{run.pk}/feedback", headers=bearer[0]).status_code == 404
    assert not Feedback.objects.exists()


def test_a_stranger_or_a_revoked_invitation_is_refused(client, bearer):
    headers, person = bearer
    run = finished_run(person, {"answer": None})
    invitations.revoke(person.invitations.get())
    for sent in ({}, headers, {"Authorization": "Bearer nothing"}):
        assert post(client, run, sent, OPINION).status_code == 401
    assert not Feedback.objects.exists()


def test_the_schema_names_the_vocabularies(client, bearer):
    schema = client.get("/api/v1/openapi.json").json()["components"]["schemas"]["FeedbackIn"]["properties"]
    assert schema["rating"]["enum"] == ["helpful", "partially_helpful", "not_helpful"]
    assert "bad_citation" in schema["problems"]["items"]["enum"]
    assert schema["comment"]["maxLength"] == 2_000
