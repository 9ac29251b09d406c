"""The JSON API: what it gives, what it refuses and how it says so."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from dofpilot.access import invitations
from runs import lifecycle
from runs.models import Run
from tests.cast import asker, failed_run, finished_run, waiting_run

pytestmark = pytest.mark.django_db

RESULT = {
    "answer": {"text": "Sí.", "citations": [], "premise_status": "unclear", "rejected_citations": []},
    "evidence": [],
    "documents": [],
    "timing": {"worked_ms": 5, "provider_ms": 1, "tools_ms": 1},
}
ASKED = {"question": "¿Qué rige en 2026?", "as_of": "2026-04-24", "client_request_id": "a-1"}


@pytest.fixture(autouse=True)
def _corpus(settings, sample_corpus):
    settings.CORPUS = sample_corpus


class Api:
    def __init__(self, token: str | None) -> None:
        self._client = Client(headers={"Authorization": f"Bearer {token}"} if token else {})

    def get(self, path: str, **query: object):
        return self._client.get(f"/api/v1{path}", query)

    def post(self, path: str, body: object = None):
        raw = body if isinstance(body, (str, bytes)) else json.dumps(body or {})
        return self._client.post(f"/api/v1{path}", raw, content_type="application/json")


@pytest.fixture
def ana():
    invitation, token = invitations.invite(label="ana", pseudonym="ana")
    person = invitation.user
    person.api = Api(token)
    return person


def problem(response, status: int, code: str, field: str | None = None) -> dict:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body.get("field") == field
    assert body["detail"]
    return body


def test_a_new_run_is_created_with_its_place_and_provenance(ana):
    response = ana.api.post("/runs", ASKED)
    assert response.status_code == 201
    run = response.json()
    assert (run["status"], run["question"], run["as_of"]) == ("queued", ASKED["question"], "2026-04-24")
    assert run["queue"]["position"] == 1
    low, high = run["queue"]["wait_seconds"]
    assert 0 <= low <= high
    for key in ("git_revision", "corpus_fingerprint", "provider", "prompt_hash", "limits", "vector_used"):
        assert key in run["provenance"]
    assert "result" not in run


def test_the_same_request_gives_the_same_run_with_200(ana):
    first = ana.api.post("/runs", ASKED)
    again = ana.api.post("/runs", ASKED)
    assert (again.status_code, again.json()["run_id"]) == (200, first.json()["run_id"])
    assert Run.objects.count() == 1


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
    assert response.status_code in (400, 422)
    assert response.json()["code"] == "invalid"
    assert not Run.objects.exists()


def test_a_body_over_the_limit_is_refused(ana):
    problem(ana.api.post("/runs", {**ASKED, "question": "x" * 17_000}), 413, "too_large")


def test_an_active_run_and_a_conflict_are_told_apart(ana):
    ana.api.post("/runs", ASKED)
    problem(ana.api.post("/runs", {**ASKED, "client_request_id": "a-2"}), 409, "active_run")
    problem(
        ana.api.post("/runs", {**ASKED, "question": "¿Otra?"}),
        409,
        "idempotency_conflict",
        "client_request_id",
    )


def test_a_full_queue_says_when_to_come_back(ana, settings):
    settings.QUEUE_LIMIT = 1
    waiting_run(asker("beto"))
    response = ana.api.post("/runs", ASKED)
    problem(response, 503, "queue_full")
    assert int(response["Retry-After"]) >= 1


def test_without_a_corpus_nothing_is_stored(ana, settings, tmp_path):
    settings.CORPUS = tmp_path / "nowhere"
    response = ana.api.post("/runs", ASKED)
    body = problem(response, 503, "corpus_unavailable")
    assert str(tmp_path) not in json.dumps(body)
    assert not Run.objects.exists()


def test_strangers_are_asked_for_an_invitation():
    for token in (None, "dof_falsa", "x" * 5000):
        problem(Api(token).get("/runs"), 401, "unauthenticated")


def test_a_write_with_a_session_needs_its_csrf_token(ana):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ana)
    response = browser.post("/api/v1/runs", json.dumps(ASKED), content_type="application/json")
    problem(response, 403, "forbidden")


def test_another_persons_run_does_not_exist(ana):
    other = waiting_run(asker("beto"))
    paths = (f"/runs/{other.pk}", f"/runs/{other.pk}/progress", f"/runs/{other.pk}/events")
    for path in (*paths, "/runs/00000000-0000-0000-0000-000000000000"):
        problem(ana.api.get(path), 404, "not_found")
    problem(ana.api.post(f"/runs/{other.pk}/cancel"), 404, "not_found")
    assert ana.api.get("/runs").json() == {"count": 0, "runs": []}


def test_a_finished_run_gives_result_and_times_apart(ana):
    run = finished_run(ana, RESULT)
    shown = ana.api.get(f"/runs/{run.pk}").json()
    assert shown["status"] == "succeeded"
    assert shown["result"]["answer"]["text"] == "Sí."
    assert shown["result"]["timing"]["worked_ms"] == 5
    assert shown["result"]["timing"]["waited_ms"] >= 0
    assert shown["error"] is None


def test_a_failed_run_gives_code_and_sentence(ana):
    shown = ana.api.get(f"/runs/{failed_run(ana).pk}").json()
    assert shown["error"]["code"] == "provider_unavailable"
    assert shown["error"]["message"]
    assert "result" not in shown


def test_progress_later_than_a_sequence(ana):
    run = finished_run(ana, RESULT)
    assert [step["sequence"] for step in ana.api.get(f"/runs/{run.pk}/progress").json()["steps"]] == [1]
    assert ana.api.get(f"/runs/{run.pk}/progress", after=1).json()["steps"] == []
    problem(ana.api.get(f"/runs/{run.pk}/progress", after="x"), 422, "invalid", "after")


def test_own_runs_come_newest_first_in_pages(ana):
    for number in range(3):
        finished_run(ana, RESULT, question=f"¿Pregunta {number}?")
    page = ana.api.get("/runs", limit=2).json()
    assert page["count"] == 3
    assert [run["question"] for run in page["runs"]] == ["¿Pregunta 2?", "¿Pregunta 1?"]


def test_cancelling_ends_a_waiting_run(ana):
    run = ana.api.post("/runs", ASKED).json()
    response = ana.api.post(f"/runs/{run['run_id']}/cancel")
    assert (response.status_code, response.json()["error"]["code"]) == (202, "cancelled")
    assert lifecycle.claim_next("w") is None


def test_health_needs_no_invitation_and_tells_of_the_corpus(settings, tmp_path):
    assert Api(None).get("/health").json()["corpus"] is True
    settings.CORPUS = tmp_path / "nowhere"
    shown = Api(None).get("/health")
    assert (shown.status_code, shown.json()["corpus"]) == (200, False)


def test_capabilities_and_the_openapi_document(ana):
    shown = ana.api.get("/capabilities").json()
    assert shown["corpus"]["sample"] is True
    assert shown["limits"]["required_hops"] == [1, 5]
    paths = ana.api.get("/openapi.json").json()["paths"]
    assert {"/api/v1/runs", "/api/v1/runs/{run_id}/events", "/api/v1/health"} <= set(paths)


def test_problems_speak_the_readers_language(ana):
    response = ana.api._client.post(
        "/api/v1/runs",
        json.dumps({**ASKED, "question": ""}),
        content_type="application/json",
        headers={"Accept-Language": "en"},
    )
    assert "question" in response.json()["detail"].lower()
