"""Who may ask now, and in which order the reasons against it are looked at."""

from __future__ import annotations

import uuid

import pytest
from django.utils import timezone
from django_q.models import OrmQ

from dofpilot.access.models import Invitation
from dofpilot.access.problems import Problem, ProblemCode
from dofpilot.corpus.errors import CorpusUnavailable
from runs import lifecycle, pause, provenance
from runs.admission import admit
from runs.models import Claim, Run, State
from runs.requests import parse
from tests.cast import PROVENANCE, asker, waiting_run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _conditions(monkeypatch):
    monkeypatch.setattr(provenance, "capture", lambda **_: PROVENANCE)


def request(question: str = "¿Qué rige en 2026?", request_id: str = "a-1", hops: int = 1):
    return parse(
        {"question": question, "as_of": "2026-04-24", "required_hops": hops, "client_request_id": request_id}
    )


def end_active_runs() -> None:
    while lease := lifecycle.claim_next("w", at_most=9):
        lifecycle.succeed(lease, {"answer": None})


def refusal(who, asked) -> Problem:
    before = Run.objects.count()
    with pytest.raises(Problem) as refused:
        admit(who, asked)
    assert Run.objects.count() == before
    return refused.value


def test_it_stores_run_place_and_wake_up_together():
    ana = asker()
    admitted = admit(ana, request())
    assert admitted.created
    assert admitted.run.provenance == PROVENANCE
    assert Claim.objects.get().run == admitted.run
    assert OrmQ.objects.count() == 1


def test_the_same_request_again_is_the_same_run():
    ana = asker()
    first = admit(ana, request())
    again = admit(ana, request())
    assert (again.run, again.created) == (first.run, False)
    assert OrmQ.objects.count() == 1


def test_the_same_id_with_another_question_is_a_conflict():
    ana = asker()
    admit(ana, request())
    for other in (request(question="¿Otra cosa?"), request(hops=2)):
        problem = refusal(ana, other)
        assert (problem.status, problem.code) == (409, ProblemCode.IDEMPOTENCY_CONFLICT)
        assert problem.field == "client_request_id"


def test_a_retry_after_midnight_is_the_same_request(monkeypatch):
    ana = asker()
    sent = {"question": "¿Qué rige?", "client_request_id": "a-1"}
    first = admit(ana, parse(sent))
    tomorrow = timezone.localdate() + timezone.timedelta(days=1)
    monkeypatch.setattr(timezone, "localdate", lambda: tomorrow)
    again = parse(sent)
    assert admit(ana, again).run == first.run


def test_two_people_may_use_the_same_id():
    assert admit(asker("ana"), request()).run != admit(asker("beto"), request()).run


def test_one_person_has_one_active_run():
    ana = asker()
    admit(ana, request())
    assert refusal(ana, request(request_id="a-2")).code == ProblemCode.ACTIVE_RUN
    end_active_runs()
    assert admit(ana, request(request_id="a-2")).created


def test_the_hourly_limit_of_the_invitation_goes_before_the_general_one():
    ana = asker()
    Invitation.objects.filter(user=ana).update(runs_per_hour=2)
    for number in range(2):
        admit(ana, request(request_id=f"a-{number}"))
        end_active_runs()
    problem = refusal(ana, request(request_id="a-9"))
    assert (problem.status, problem.code) == (429, ProblemCode.RATE_LIMITED)
    assert 3500 < problem.retry_after <= 3601


def test_a_full_queue_says_when_to_come_back(settings):
    settings.QUEUE_LIMIT = 1
    waiting_run(asker("beto"))
    problem = refusal(asker(), request())
    assert (problem.status, problem.code) == (503, ProblemCode.QUEUE_FULL)
    assert problem.retry_after >= 1


def worked(who, seconds: float) -> None:
    """A run that ended after so long; times are written past the lifecycle, whose clock cannot be set."""
    run, begun = waiting_run(who), timezone.now()
    Claim.objects.filter(run=run).update(token=uuid.uuid4())
    run.transitions.create(sequence=2, state=State.STARTED, created_at=begun)
    ended = begun + timezone.timedelta(seconds=seconds)
    run.transitions.create(sequence=3, state=State.SUCCEEDED, created_at=ended)
    Claim.objects.filter(run=run).delete()


@pytest.mark.parametrize(("at_once", "seconds"), [(1, 40), (2, 20), (8, 5), (80, 1)])
def test_a_full_queue_moves_as_fast_as_recent_runs_did(settings, at_once, seconds):
    settings.QUEUE_LIMIT, settings.MODEL_CONCURRENCY = 1, at_once
    carla = asker("carla")
    for each in (10, 40, 3600):
        worked(carla, each)
    waiting_run(asker("beto"))
    assert refusal(asker(), request()).retry_after == seconds


@pytest.mark.parametrize("against", ["queue", "hour", "pause", "corpus"])
def test_a_retry_is_answered_whatever_there_is_against_new_questions(settings, monkeypatch, against):
    def no_corpus(**_):
        raise CorpusUnavailable("gone")

    ana, beto = asker(), asker("beto")
    first = admit(ana, request())
    if against == "queue":
        settings.QUEUE_LIMIT = 1
    elif against == "hour":
        Invitation.objects.filter(user=ana).update(runs_per_hour=1)
        end_active_runs()
    elif against == "pause":
        pause.pause("Mantenimiento", None)
    else:
        monkeypatch.setattr(provenance, "capture", no_corpus)
    assert (admit(ana, request()).run, Run.objects.count()) == (first.run, 1)
    # It is really in the way of a new one.
    refusal(ana if against == "hour" else beto, request(request_id="new"))


def test_without_a_corpus_nothing_is_stored(monkeypatch):
    def no_corpus(**_):
        raise CorpusUnavailable("DOFPILOT_CORPUS (/nowhere): no manifest")

    monkeypatch.setattr(provenance, "capture", no_corpus)
    problem = refusal(asker(), request())
    assert (problem.status, problem.code) == (503, ProblemCode.CORPUS_UNAVAILABLE)
    assert not OrmQ.objects.exists()
