"""Recordings go when whoever administers the site wants them to, and nothing else goes with them."""

from __future__ import annotations

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import Event, EventKind
from runs import lifecycle
from runs.models import Run, TranscriptEntry
from runs.public import public_run
from tests import cast

pytestmark = pytest.mark.django_db

STEP = Event(EventKind.TOOL_STARTED, {"message": "Busca", "why": "Primero"})


def recorded(name, *, days=0, ended=True):
    """A run of somebody, asked ``days`` ago, with a recording of two pieces, 1,500 bytes."""
    run = Run(
        evaluator=cast.asker(name),
        client_request_id="t",
        question="¿Qué dice la norma?",
        as_of=cast.AS_OF,
        provenance=cast.PROVENANCE,
        created_at=timezone.now() - timedelta(days=days),
    )
    lifecycle.create(run)
    lease = lifecycle.claim(run, "w")
    lifecycle.append(lease, STEP, [(1, b"a" * 500), (2, b"b" * 1000)])
    if ended:
        lifecycle.fail(lease, FailureCode.RATE_LIMITED)
    return run


def with_recordings():
    return set(Run.objects.filter(transcript__isnull=False))


def delete(*arguments):
    out = io.StringIO()
    call_command("delete_transcripts", *map(str, arguments), stdout=out)
    return out.getvalue()


def refusal(*arguments):
    with pytest.raises(CommandError) as refused:
        delete(*arguments)
    return refused.value.returncode, str(refused.value)


def answer(monkeypatch, said):
    """What the person says when asked; the list gets the question."""
    asked = []

    def reply(question):
        asked.append(question)
        if said is None:
            raise EOFError
        return said

    monkeypatch.setattr("builtins.input", reply)
    return asked


def test_the_recording_of_one_run_is_deleted_and_the_run_stays_as_it_was():
    one, other = recorded("ana"), recorded("beto")
    before = public_run(one)
    assert delete(one.pk, "--yes") == "Se borró: 1 grabación, 2 piezas, 1.5 kB.\n"
    assert with_recordings() == {other}
    assert public_run(Run.objects.get(pk=one.pk)) == before
    with pytest.raises(CommandError, match=f"No hay grabación de {one.pk}: se borró"):
        call_command("transcript", str(one.pk))


def test_those_of_runs_asked_before_some_days_are_deleted():
    runs = {days: recorded(f"p{days}", days=days) for days in (1, 29, 31, 400)}
    assert delete("--older-than", 30, "--yes") == "Se borró: 2 grabaciones, 4 piezas, 3.0 kB.\n"
    assert with_recordings() == {runs[1], runs[29]}
    delete("--older-than", 0, "--yes")
    assert not TranscriptEntry.objects.exists()


def test_an_active_run_keeps_its_recording():
    active = recorded("ana", days=50, ended=False)
    code, said = refusal(active.pk, "--yes")
    assert (code, said) == (1, f"La investigación {active.pk} no ha terminado: todavía se graba.")
    assert delete("--older-than", 0, "--yes") == "No hay ninguna grabación que borrar.\n"
    assert lifecycle.forget(Run.objects.all()) == 0
    assert with_recordings() == {active}


@pytest.mark.parametrize("said", ["", "n", "no sé", None])
def test_without_a_yes_nothing_is_deleted(monkeypatch, said):
    run = recorded("ana")
    asked = answer(monkeypatch, said)
    assert refusal(run.pk) == (1, "No se borró nada.")
    assert "1 grabación, 2 piezas, 1.5 kB" in asked[0]
    assert with_recordings() == {run}


@pytest.mark.parametrize("said", ["s", "Sí "])
def test_with_a_yes_it_is(monkeypatch, said):
    run = recorded("ana")
    answer(monkeypatch, said)
    assert delete(run.pk).startswith("Se borró: 1 grabación")
    assert not with_recordings()


def test_where_there_is_nothing_nobody_is_asked(monkeypatch):
    asked = answer(monkeypatch, "s")
    run = cast.failed_run(cast.asker())
    assert delete(run.pk) == delete("--older-than", 0) == "No hay ninguna grabación que borrar.\n"
    assert not asked


@pytest.mark.parametrize(
    "arguments", [[], ["nada"], ["--older-than", "-1"], ["--older-than", "x"], ["--older-than", "999999999"]]
)
def test_what_says_no_run_and_no_days_is_refused(arguments):
    run = recorded("ana")
    refusal(*arguments, "--yes")
    assert with_recordings() == {run}
