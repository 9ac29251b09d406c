"""Runs, their logs and feedback in the admin: found and read, never written."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import RequestFactory

from dofpilot.agent.errors import FailureCode
from feedback.models import Feedback, Rating, ReportedProblem
from feedback.service import give
from runs.models import Claim, Progress, Run, Transition
from tests.cast import asker, curator, failed_run, finished_run, manager, waiting_run

pytestmark = pytest.mark.django_db

LOGS = [Run, Transition, Progress, Claim, Feedback]
RESULT = {"answer": {"text": "Son 315.04 pesos.", "citations": [7]}, "warnings": ["<b>ojo</b>"]}
each_log = pytest.mark.parametrize("model", LOGS, ids=lambda model: model.__name__)


@pytest.fixture
def site(client):
    """A row in every table, and somebody who may do everything, signed in."""
    done = finished_run(asker("ana"), RESULT, question="¿Cuál es el salario mínimo?")
    give(done, done.evaluator, Rating.NOT_HELPFUL, [ReportedProblem.BAD_CITATION], "La cita es de otro año.")
    failed = failed_run(asker("beto"), FailureCode.RATE_LIMITED, question="¿Qué dice la NOM-035?")
    give(failed, failed.evaluator, Rating.HELPFUL, [ReportedProblem.OTHER], "")
    waiting_run(asker("caro"), question="¿Quién expropió?")
    client.force_login(manager())
    return client


def address(model, what: str = "") -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/{what}"


def found(client, model, **query: object) -> list[object]:
    response = client.get(address(model), query)
    assert response.status_code == 200
    return list(response.context["cl"].result_list)


def questions(client, **query: object) -> set[str]:
    return {run.question for run in found(client, Run, **query)}


@each_log
def test_a_log_can_be_listed_searched_and_opened(site, model):
    row = model.objects.first()
    assert found(site, model)
    assert site.get(address(model), {"q": "zzz"}).status_code == 200
    assert site.get(address(model, f"{row.pk}/change/")).status_code == 200


@each_log
def test_a_log_is_read_by_who_may_view_it(site, client, model):
    row = model.objects.first()
    client.force_login(curator())
    assert client.get(address(model, f"{row.pk}/change/")).status_code == 200
    reader = curator("nadie")
    reader.user_permissions.clear()
    client.force_login(reader)
    assert client.get(address(model)).status_code == 403


@each_log
def test_nobody_writes_a_log_superusers_included(site, model):
    row, before = model.objects.first(), list(model.objects.values())
    for what in ("add/", f"{row.pk}/change/", f"{row.pk}/delete/"):
        assert site.post(address(model, what), {"post": "yes"}).status_code == 403
    site.post(address(model), {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"})
    assert list(model.objects.values()) == before


@each_log
def test_a_log_offers_no_permission_to_write(model):
    request = RequestFactory().get("/")
    request.user = manager()
    assert admin.site.get_model_admin(model).get_model_perms(request) == {
        "add": False,
        "change": False,
        "delete": False,
        "view": True,
    }


def test_runs_are_filtered_by_state_failure_and_provider(site):
    wage, norm, land = "¿Cuál es el salario mínimo?", "¿Qué dice la NOM-035?", "¿Quién expropió?"
    assert questions(site, state="succeeded") == {wage}
    assert questions(site, state="failed") == {norm}
    assert questions(site, state="queued") == {land}
    assert questions(site, failure="rate_limited") == {norm}
    assert questions(site, failure="interrupted") == set()
    assert questions(site, provider="extractive") == {wage, norm, land}
    assert questions(site, provider="openai-chat") == set()
    assert questions(site, state="unknown") == {wage, norm, land}


def test_runs_are_searched_by_question_and_pseudonym(site):
    assert questions(site, q="salario") == {"¿Cuál es el salario mínimo?"}
    assert questions(site, q="beto") == {"¿Qué dice la NOM-035?"}


def test_the_list_of_runs_tells_state_times_and_opinions(site):
    rows = {run.evaluator.username: run for run in found(site, Run)}
    assert {name: run.opinion_count for name, run in rows.items()} == {"ana": 1, "beto": 1, "caro": 0}
    page = site.get(address(Run)).content.decode()
    for shown in ("terminada", "no terminada · rate_limited", "en la cola", "0.0 s"):
        assert shown in page


def test_a_runs_page_shows_steps_result_and_feedback_and_is_inert(site):
    run = Run.objects.get(evaluator__username="ana")
    page = site.get(address(Run, f"{run.pk}/change/")).content.decode()
    for shown in (
        "Empieza la investigación",
        "Son 315.04 pesos.",
        "&quot;citations&quot;",
        "La cita es de otro año.",
        "Una cita no dice lo que se afirma",
        "extractive-1",
    ):
        assert shown in page
    assert "<b>ojo</b>" not in page
    assert "&lt;b&gt;ojo&lt;/b&gt;" in page


@pytest.mark.parametrize("name", ["beto", "caro"])
def test_the_page_of_a_run_without_result_opens(site, name):
    run = Run.objects.get(evaluator__username=name)
    assert site.get(address(Run, f"{run.pk}/change/")).status_code == 200


def test_a_run_that_does_not_exist_leads_back(site):
    assert site.get(address(Run, "00000000-0000-0000-0000-000000000000/change/")).status_code == 302
    assert site.get(address(Run, "nada/change/")).status_code == 302


def test_feedback_is_filtered_by_rating_and_problem_and_searched(site):
    bad, good = Feedback.objects.get(rating="not_helpful"), Feedback.objects.get(rating="helpful")
    assert found(site, Feedback, rating="not_helpful") == [bad]
    assert found(site, Feedback, problem="bad_citation") == [bad]
    assert found(site, Feedback, problem="other") == [good]
    assert found(site, Feedback, problem="cutoff_error") == []
    assert found(site, Feedback, q="otro año") == [bad]
    assert found(site, Feedback, q="NOM-035") == [good]


def test_feedback_leads_to_its_run(site):
    opinion = Feedback.objects.first()
    assert address(Run, f"{opinion.run_id}/change/") in site.get(address(Feedback)).content.decode()


@each_log
def test_a_list_takes_a_bounded_number_of_queries(site, model, django_assert_max_num_queries):
    for number in range(10):
        run = finished_run(asker(f"p{number}"), RESULT)
        give(run, run.evaluator, Rating.HELPFUL, [], "")
        waiting_run(run.evaluator)
    with django_assert_max_num_queries(10):
        site.get(address(model))


def test_the_list_of_transitions_does_not_load_results(site):
    assert all("payload" in row.get_deferred_fields() for row in found(site, Transition))


def test_a_runs_page_takes_a_bounded_number_of_queries(site, django_assert_max_num_queries):
    run = Run.objects.get(evaluator__username="ana")
    for _ in range(10):
        give(run, run.evaluator, Rating.HELPFUL, [], "")
    with django_assert_max_num_queries(12):
        site.get(address(Run, f"{run.pk}/change/"))


def test_nobody_can_make_the_queue_run_a_function_of_their_choice(site):
    for model in ("schedule", "ormq", "success", "failure"):
        assert site.get(f"/admin/django_q/{model}/").status_code == 404
