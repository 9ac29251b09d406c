"""The JSON API: what it gives, and the limits that it keeps."""

from __future__ import annotations

import json

import pytest

from runs import lifecycle, presence
from runs.models import Run
from tests.cast import asker, failed_run, finished_run, waiting_run
from tests.runs.api_client import ASKED, RESULT, Api, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded_corpus")]


def test_a_new_run_is_created_with_its_place_and_provenance(ana):
    presence.began("host:/var")
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


def test_a_list_says_of_each_run_what_the_run_itself_says(ana):
    made = [finished_run(ana, RESULT), failed_run(ana), waiting_run(ana)]
    listed = ana.api.get("/runs").json()["runs"]
    assert [brief["run_id"] for brief in listed] == [str(run.pk) for run in reversed(made)]
    for brief in listed:
        whole = ana.api.get(f"/runs/{brief['run_id']}").json()
        assert brief == {key: whole[key] for key in brief}
        assert {"status", "completed_at", "error"} <= set(brief)


@pytest.mark.parametrize("path", ["/runs", "/runs/{}/progress"])
def test_what_shows_no_result_does_not_load_it(ana, path, django_assert_max_num_queries):
    runs = [finished_run(ana, RESULT) for _ in range(5)]
    with django_assert_max_num_queries(4) as asked:
        assert ana.api.get(path.format(runs[0].pk)).status_code == 200
    selected = [query["sql"].split(" FROM ")[0] for query in asked.captured_queries]
    assert not [sql for sql in selected if '"runs_transition"."payload"' in sql]


def test_progress_tells_the_state(ana):
    for run, state in ((finished_run(ana, RESULT), "succeeded"), (waiting_run(ana), "queued")):
        assert ana.api.get(f"/runs/{run.pk}/progress").json()["status"] == state


def test_cancelling_ends_a_waiting_run(ana):
    run = ana.api.post("/runs", ASKED).json()
    response = ana.api.post(f"/runs/{run['run_id']}/cancel")
    assert (response.status_code, response.json()["error"]["code"]) == (202, "cancelled")
    assert lifecycle.claim_next("w", at_most=9) is None


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
