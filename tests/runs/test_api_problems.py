"""What the JSON API refuses, and how it says so (RFC 9457)."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from dofpilot.access.errors import bad_request, forbidden, server_error
from dofpilot.api import SENTENCES, api
from runs.models import Run
from tests.runs.api_client import ASKED, Api, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded_corpus")]


WANTED = {bad_request: (400, "invalid"), forbidden: (403, "forbidden")}


def as_sent(response):
    """A response as a client reads it."""
    response.json = lambda: json.loads(response.content)
    return response


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"question": "ab"}, "question"),
        ({"question": "x" * 2001}, "question"),
        ({"as_of": "2026-02-30"}, "as_of"),
        ({"required_hops": 6}, "required_hops"),
        ({"client_request_id": "no vale"}, "client_request_id"),
        ({"model": "otro"}, "model"),
    ],
)
def test_bad_input_names_its_field_and_stores_nothing(ana, change, field):
    body = problem(ana.api.post("/runs", {**ASKED, **change}), 422, "invalid", field)
    assert list(body["errors"]) == [field]
    assert not Run.objects.exists()


@pytest.mark.parametrize("raw", ["", "{", "[]", "null", '"texto"', "\x00"])
def test_what_is_no_json_object_is_refused(ana, raw):
    response = ana.api.post("/runs", raw)
    body = problem(response, 400 if raw in ("{", "\x00") else 422, "invalid", "body")
    assert body["detail"] == "Envía un objeto JSON."
    assert not Run.objects.exists()


def test_what_is_missing_is_asked_for_in_the_readers_language(ana):
    body = problem(ana.api.post("/runs", {}), 422, "invalid", "question")
    assert body["detail"].startswith("Escribe una pregunta")


def test_a_field_of_another_request_is_not_accepted_here(ana):
    body = problem(ana.api.post("/runs", {**ASKED, "limit": 5}), 422, "invalid", "limit")
    assert body["detail"] == "Este campo no se acepta."


@pytest.mark.parametrize(
    ("query", "field", "sentence"),
    [
        ({"limit": 0}, "limit", "Pide de 1 a 100"),
        ({"limit": 101}, "limit", "Pide de 1 a 100"),
        ({"limit": "x"}, "limit", "Pide de 1 a 100"),
        ({"offset": -1}, "offset", "un número entero desde 0"),
        ({"offset": 2**31}, "offset", "un número entero desde 0"),
    ],
)
def test_a_wrong_page_is_explained(ana, query, field, sentence):
    body = problem(ana.api.get("/runs", **query), 422, "invalid", field)
    assert sentence in body["detail"]


def test_every_field_of_every_request_has_its_sentence():
    schemas = api.get_openapi_schema()
    asked = {
        parameter["name"]
        for path in schemas["paths"].values()
        for operation in path.values()
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query"
    }
    for schema in schemas["components"]["schemas"].values():
        asked |= set(schema["properties"])
    assert {"question", "rating", "after", "limit"} <= asked <= set(SENTENCES)


@pytest.mark.parametrize("path", ["/nada", "/runs/no-es-un-uuid", "/runs/", "/runs/7/feedback"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_an_address_that_does_not_exist_is_a_problem(ana, method, path):
    problem(getattr(ana.api, method)(path), 404, "not_found")


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_a_method_that_is_not_there_is_a_problem_that_names_those_that_are(ana, method):
    response = getattr(ana.api._client, method)("/api/v1/runs")
    problem(response, 405, "method_not_allowed")
    assert set(response["Allow"].split(", ")) == {"GET", "POST"}


def test_a_page_answers_an_unknown_method_as_pages_do(ana):
    response = ana.api._client.delete("/login")
    assert (response.status_code, response["Content-Type"]) == (405, "text/html; charset=utf-8")


@pytest.mark.parametrize("page", [bad_request, forbidden])
def test_what_the_site_refuses_before_any_view_is_a_problem_too(rf, page):
    problem(as_sent(page(rf.get("/api/v1/runs"), Exception())), *WANTED[page])


def test_a_fault_of_the_site_is_a_problem_too(rf):
    problem(as_sent(server_error(rf.get("/api/v1/runs"))), 500, "internal_error")


def test_a_fault_of_the_api_keeps_its_text_in_the_log(ana, monkeypatch, caplog):
    def break_down(*_):
        raise RuntimeError("SELECT secret")

    monkeypatch.setattr("runs.admission.admit", break_down)
    response = ana.api.post("/runs", ASKED)
    problem(response, 500, "internal_error")
    assert b"secret" not in response.content
    assert "SELECT secret" in caplog.text


def test_a_body_over_the_limit_is_refused(ana):
    problem(ana.api.post("/runs", {**ASKED, "question": "x" * 17_000}), 413, "too_large")


def test_strangers_are_asked_for_an_invitation():
    for token in (None, "dof_falsa", "x" * 5000):
        problem(Api(token).get("/runs"), 401, "unauthenticated")


def test_a_write_with_a_session_needs_its_csrf_token(ana):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ana)
    response = browser.post("/api/v1/runs", json.dumps(ASKED), content_type="application/json")
    problem(response, 403, "forbidden")


def test_problems_speak_the_readers_language(ana):
    response = ana.api._client.post(
        "/api/v1/runs",
        json.dumps({**ASKED, "question": ""}),
        content_type="application/json",
        headers={"Accept-Language": "en"},
    )
    assert "question" in response.json()["detail"].lower()
