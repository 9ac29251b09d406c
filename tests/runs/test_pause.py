"""New questions paused and let in again: who is refused, who is not, and what is kept of it."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from dofpilot.access.problems import Problem
from runs import admission, lifecycle, pause
from runs.models import AdmissionChange, Claim, Run
from runs.models.operation import REASON_MAX
from runs.requests import parse
from runs.serial import Turn
from runs.work import console
from tests.cast import asker, manager, waiting_run
from tests.runs.api_client import ASKED, RESULT, Api, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded_corpus")]


def rows() -> list[tuple[bool, str]]:
    return list(AdmissionChange.objects.order_by("id").values_list("is_open", "reason"))


def test_a_site_that_was_never_paused_is_open():
    assert pause.current() is None


def test_a_pause_tells_reason_who_and_since_when():
    marta = manager()

    assert pause.pause("  Se actualiza\n el acervo ", marta)

    now = pause.current()
    assert (now.reason, now.by) == ("Se actualiza el acervo", marta)
    assert now.since == AdmissionChange.objects.get().created_at


def test_pausing_again_for_the_same_reason_adds_nothing_and_for_another_a_row():
    pause.pause("Uno", None)
    since = pause.current().since

    assert not pause.pause("Uno ", manager())
    assert pause.pause("Dos", None)

    assert rows() == [(False, "Uno"), (False, "Dos")]
    assert (pause.current().reason, pause.current().since) == ("Dos", since)


def test_resuming_opens_once_and_a_later_pause_has_a_time_of_its_own():
    assert not pause.resume(None)
    pause.pause("Uno", None)
    first = pause.current().since

    assert pause.resume(manager())
    assert not pause.resume(None)
    assert pause.current() is None
    pause.pause("Uno", None)

    assert rows() == [(False, "Uno"), (True, ""), (False, "Uno")]
    assert pause.current().since > first


@pytest.mark.parametrize("reason", ["", " \n ", "x" * (REASON_MAX + 1), "a\x07b"])
def test_a_reason_that_says_nothing_or_too_much_is_refused(reason):
    with pytest.raises(ValidationError):
        pause.pause(reason, None)
    assert rows() == []


def test_the_longest_reason_is_kept_whole():
    pause.pause("x" * REASON_MAX, None)
    assert pause.current().reason == "x" * REASON_MAX


@pytest.mark.parametrize(
    "change", ["UPDATE runs_admissionchange SET reason = 'otro'", "DELETE FROM runs_admissionchange"]
)
def test_the_database_keeps_the_log_of_pauses_as_it_was_written(change):
    pause.pause("Uno", None)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)
    assert rows() == [(False, "Uno")]


def test_a_new_question_is_refused_with_the_reason_and_nothing_is_stored(ana):
    pause.pause("Se actualiza el acervo", None)

    response = ana.api.post("/runs", ASKED)

    told = problem(response, 503, "admission_paused")["detail"]
    assert "Se actualiza el acervo. Tu pregunta no se guardó." in told
    assert "Retry-After" not in response
    assert not Run.objects.exists()
    pause.resume(None)
    assert ana.api.post("/runs", ASKED).status_code == 201


def test_the_reason_is_told_also_where_the_corpus_is_gone_meanwhile(ana, settings, tmp_path):
    pause.pause("Se actualiza el acervo", None)
    settings.CORPUS = tmp_path / "nowhere"

    problem(ana.api.post("/runs", ASKED), 503, "admission_paused")


def test_a_repeated_request_is_answered_although_paused(ana):
    first = ana.api.post("/runs", ASKED).json()
    pause.pause("Uno", None)

    again = ana.api.post("/runs", ASKED)

    assert (again.status_code, again.json()["run_id"]) == (200, first["run_id"])
    problem(
        ana.api.post("/runs", {**ASKED, "required_hops": 3}), 409, "idempotency_conflict", "client_request_id"
    )


def test_what_is_stored_is_read_worked_on_cancelled_and_rated_although_paused(ana):
    lease = lifecycle.claim(waiting_run(ana), "w")
    pause.pause("Uno", None)

    assert ana.api.get(f"/runs/{lease.run.pk}").json()["status"] == "started"
    assert ana.api.get("/runs").json()["count"] == 1
    lifecycle.succeed(lease, RESULT)
    rated = ana.api.post(f"/runs/{lease.run.pk}/feedback", {"rating": "helpful"})
    assert rated.status_code == 201
    other = waiting_run(asker("beto"))
    lifecycle.cancel(other)
    waiting = waiting_run(ana)
    assert lifecycle.claim_next("w", at_most=1).run == waiting


def test_a_pause_that_comes_while_a_question_is_looked_at_still_refuses_it(ana, monkeypatch):
    capture = admission.provenance.capture

    def paused_meanwhile(**given):
        pause.pause("Uno", None)
        return capture(**given)

    monkeypatch.setattr(admission.provenance, "capture", paused_meanwhile)

    problem(ana.api.post("/runs", ASKED), 503, "admission_paused")
    assert not Claim.objects.exists()


def test_the_command_line_is_refused_too():
    pause.pause("Se actualiza el acervo", None)
    with pytest.raises(Problem) as refused:
        admission.admit_for_console(asker(), parse({"question": "¿Qué rige?"}), "consola")
    assert refused.value.code == "admission_paused"
    assert not Run.objects.exists()


def test_the_command_line_opens_its_corpus_before_it_keeps_anybody_waiting(monkeypatch):
    captured = []
    capture = admission.provenance.capture

    def capture_and_tell(**given):
        captured.append(len(connection.savepoint_ids))
        return capture(**given)

    monkeypatch.setattr(admission.provenance, "capture", capture_and_tell)
    before = len(connection.savepoint_ids)
    console.admit(asker(), parse({"question": "¿Qué rige?"}))
    # The test itself is a transaction: one inside of it is a savepoint.
    assert captured == [before]


def test_capabilities_and_health_tell_it(ana):
    ready = {"open": True, "code": None, "message": None, "reason": None, "since": None}
    assert ana.api.get("/capabilities").json()["admission"] == ready
    assert Api(None).get("/health").json()["admission"] == "open"
    pause.pause("¿Motivo?", None)

    told = ana.api.get("/capabilities").json()["admission"]
    health = Api(None).get("/health")

    assert (told["open"], told["code"], told["reason"]) == (False, "admission_paused", "¿Motivo?")
    assert told["message"].endswith(": ¿Motivo?")
    assert told["since"].endswith("Z")
    assert (health.status_code, health.json()["admission"]) == (200, "admission_paused")
    assert "Motivo" not in health.content.decode()


def test_the_commands_pause_and_resume_and_say_what_they_did(capsys):
    call_command("pause", "Se actualiza el acervo")
    call_command("pause", "Se actualiza el acervo")
    assert pause.current().reason == "Se actualiza el acervo"
    call_command("resume")
    call_command("resume")
    assert pause.current() is None
    told = capsys.readouterr().out.splitlines()
    assert [line.split(";")[0] for line in told] == [
        "Las preguntas nuevas están en pausa",
        "Ya estaban en pausa por ese motivo.",
        "Se aceptan preguntas nuevas.",
        "No estaban en pausa.",
    ]


def test_the_command_needs_a_reason():
    with pytest.raises(CommandError, match="motivo"):
        call_command("pause", " ")
    assert rows() == []


@pytest.mark.parametrize("change", [lambda: pause.pause("Uno", None), lambda: pause.resume(None)])
def test_a_change_waits_for_the_questions_that_had_not_seen_it(monkeypatch, change):
    turns = []
    monkeypatch.setattr(pause, "serialise", turns.append)
    change()
    assert turns == [Turn.ADMISSION]
