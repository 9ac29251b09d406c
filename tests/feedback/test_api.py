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
    ("field", "wrong", "sentence"),
    [
        ("rating", {"rating": "great"}, "Elige una de las tres valoraciones."),
        ("rating", {"rating": 5}, "Elige una de las tres valoraciones."),
        ("problems", {"problems": ["too_long"]}, "Elige solo problemas de la lista."),
        ("problems", {"problems": [1]}, "Elige solo problemas de la lista."),
        ("problems", {"problems": {"a": 1}}, "Elige solo problemas de la lista."),
        ("comment", {"comment": "x" * 2_001}, "El comentario tiene 2001 caracteres y caben 2000."),
        ("comment", {"comment": 7}, "El comentario es un texto de hasta 2,000 caracteres."),
        ("comment", {"comment": "a\x1bb"}, "El comentario tiene caracteres que no se pueden guardar."),
        ("stars", {"stars": 5}, "Este campo no se acepta."),
    ],
)
def test_a_wrong_opinion_is_a_problem_that_names_its_field(client, bearer, field, wrong, sentence):
    headers, person = bearer
    response = post(client, finished_run(person, {"answer": None}), headers, OPINION | wrong)
    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")
    told = {"code": "invalid", "field": field, "detail": sentence}
    assert told.items() <= response.json().items()
    assert not Feedback.objects.exists()


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [({}, 422, "rating"), ([], 422, "body"), ("{", 400, "body"), ("", 422, "body")],
)
def test_an_opinion_that_is_missing_is_asked_for(client, bearer, body, status, field):
    headers, person = bearer
    response = post(client, finished_run(person, {"answer": None}), headers, body)
    words = {"rating": "Elige una de las tres valoraciones.", "body": "Envía un objeto JSON."}
    assert (response.status_code, response.json()["field"]) == (status, field)
    assert response.json()["detail"] == words[field]


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
