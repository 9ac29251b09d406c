"""What is recorded of a run: all of it, as it happens, and for nobody to see on the site."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from asgiref.sync import async_to_sync
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.db import Error, connection, transaction
from django.urls import reverse

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.events import Event, EventKind
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings
from dofpilot.agent.recording.entries import CorpusCall, Exchange
from dofpilot.agent.recording.transcript import TranscriptError, write
from runs import admission, lifecycle, live
from runs.lifecycle import LeaseLost
from runs.models import Progress, Run, TranscriptEntry, Transition
from runs.public import public_run
from runs.requests import RunRequest
from runs.transcripts import NoTranscript, transcript_of
from runs.work import execution
from tests import cast, scripts
from tests.agent.openai_server import OpenAIServer, completion
from tests.runs.recorded import QUESTION, answered, play

pytestmark = pytest.mark.django_db

STEP = Event(EventKind.TOOL_STARTED, {"message": "Busca", "why": "Primero"})
CANARY = "CANARIO-7431"
# Sent back for want of citations: only the provider and the recording know what it said. In it are the
# characters that some take for ends of lines.
REFUSED = {"answer": {"answer": f"{CANARY}\u2028\x85\x0b.", "citations": [], "premise_status": "supported"}}


@pytest.fixture
def scripted(loaded_corpus, settings, tmp_path):
    """``scripted(steps)`` chooses the provider's replies; those of a whole run to begin with."""

    def choose(steps):
        play(settings, tmp_path, steps)

    choose(scripts.WHOLE)
    return choose


def kinds(entries):
    return [type(entry).__name__ for entry in entries]


def test_a_run_is_recorded_whole(scripted):
    run = answered(cast.asker())
    transcript = transcript_of(run)
    header, ending = transcript.header, transcript.ending
    assert (header.run_id, header.question, header.as_of) == (str(run.pk), QUESTION, cast.AS_OF)
    assert (header.identity.provider, header.about) == ("scripted", run.provenance)
    assert kinds(transcript.entries) == ["Exchange", "CorpusCall"] * 3 + ["Exchange"]
    assert (ending.events, ending.failure, ending.stop_reason) == (
        run.progress.count(),
        None,
        StopReason.ANSWERED,
    )


def test_limits_that_changed_while_a_run_waited_are_recorded_and_told_as_they_were(scripted, settings):
    request = RunRequest(question=QUESTION, as_of=cast.AS_OF.isoformat())
    lease = admission.admit_for_console(cast.asker(), request, "test")
    settings.LIMITS = replace(settings.LIMITS, turns=2)
    execution.execute(lease)
    assert transcript_of(lease.run).header.limits.turns == 2
    assert public_run(lease.run)["provenance"]["limits"]["turns"] == 2
    assert lease.run.provenance["limits"]["turns"] == 8


def test_each_step_is_stored_with_what_led_to_it(scripted):
    recorded = []

    def listen(event):
        recorded.append((event.kind, TranscriptEntry.objects.count()))

    answered(cast.asker(), listener=listen)
    turn = [(EventKind.MODEL_TURN_STARTED, 0), (EventKind.TOOL_STARTED, 1), (EventKind.TOOL_COMPLETED, 2)]
    tool_turns = [(kind, 1 + 2 * number + more) for number in range(3) for kind, more in turn]
    assert recorded == [
        (EventKind.AGENT_STARTED, 1),
        *tool_turns,
        (EventKind.MODEL_TURN_STARTED, 7),
        (EventKind.VERIFICATION_COMPLETED, 8),
    ]


def test_a_failed_run_keeps_its_recording_and_tells_what_it_used(scripted):
    scripted([scripts.SEARCH, {"fail": "rate_limited"}])
    run = answered(cast.asker())
    transcript = transcript_of(run)
    assert kinds(transcript.entries) == ["Exchange", "CorpusCall", "Exchange"]
    assert transcript.entries[-1].failure == transcript.ending.failure == FailureCode.RATE_LIMITED
    usage = public_run(run)["usage"]
    assert (usage["turns"], usage["tool_calls"], len(usage["per_turn"])) == (2, 1, 2)
    assert usage["per_turn"][0]["tools_ms"] == round(transcript.entries[1].seconds * 1000)


def test_a_run_that_failed_before_it_began_has_no_recording_and_used_nothing(scripted, settings, tmp_path):
    lease = lifecycle.claim(cast.waiting_run(cast.asker()), "w")
    settings.CORPUS = tmp_path / "nada"
    execution.execute(lease)
    assert public_run(lease.run)["usage"] is None
    with pytest.raises(NoTranscript, match="antes de que hubiera algo que grabar"):
        transcript_of(lease.run)


def test_an_active_run_has_no_recording_yet():
    run = cast.waiting_run(cast.asker())
    with pytest.raises(NoTranscript, match="no ha terminado"):
        transcript_of(run)


def test_a_step_that_could_not_be_stored_leaves_the_recording_whole(scripted, monkeypatch):
    """Its pieces go with what is stored next, or all later ones would be unreadable."""
    announced = iter(range(100))

    def announce(row):
        if next(announced) == 7:
            raise RuntimeError("la base de datos se fue un momento")

    monkeypatch.setattr(live, "announce", announce)
    run = answered(cast.asker())
    assert run.transitions.last().failure == FailureCode.INTERNAL_ERROR
    assert run.progress.last().kind == EventKind.MODEL_TURN_STARTED
    transcript = transcript_of(run)
    assert kinds(transcript.entries) == ["Exchange", "CorpusCall", "Exchange"]
    assert transcript.entries[-1].reply.name == "search_evidence"
    assert transcript.ending.events == run.progress.count()


def test_a_worker_that_lost_its_run_records_nothing_more(scripted):
    stored = []

    def lose(event):
        if event.kind == EventKind.TOOL_COMPLETED:
            lifecycle.interrupt_held("test")
            stored.append(TranscriptEntry.objects.count())

    run = answered(cast.asker(), listener=lose)
    assert stored == [TranscriptEntry.objects.count()] == [3]
    assert transcript_of(run).ending.failure == FailureCode.INTERRUPTED


@pytest.mark.parametrize("write_late", ["append", "succeed", "fail"])
def test_a_late_worker_stores_no_piece(write_late):
    late = lifecycle.claim(cast.waiting_run(cast.asker()), "w")
    lifecycle.interrupt_held("w")
    given = {"append": STEP, "succeed": {"answer": None}, "fail": FailureCode.INTERNAL_ERROR}[write_late]
    with pytest.raises(LeaseLost):
        getattr(lifecycle, write_late)(late, given, pieces=[(1, b"tarde")])
    assert not TranscriptEntry.objects.exists()


def test_a_piece_that_comes_again_is_stored_once():
    lease = lifecycle.claim(cast.waiting_run(cast.asker()), "w")
    lifecycle.append(lease, STEP, [(1, b"a")])
    lifecycle.append(lease, STEP, [(1, b"a"), (2, b"b")])
    assert [bytes(entry.body) for entry in lease.run.transcript.all()] == [b"a", b"b"]


def test_the_database_refuses_to_change_an_entry(scripted):
    answered(cast.asker())
    with pytest.raises(Error), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE runs_transcriptentry SET sequence = sequence + 100")


@pytest.mark.parametrize("damage", [b"nada", b"\x28\xb5\x2f\xfd"])
def test_a_damaged_recording_is_told_as_such(damage):
    lease = lifecycle.claim(cast.waiting_run(cast.asker()), "w")
    lifecycle.append(lease, STEP, [(1, damage)])
    lifecycle.fail(lease, FailureCode.INTERRUPTED)
    with pytest.raises(TranscriptError):
        transcript_of(lease.run)


def content(response):
    async def streamed():
        return b"".join([part async for part in response.streaming_content])

    assert response.status_code == 200
    return async_to_sync(streamed)() if response.streaming else response.content


def addresses(run):
    """Everything on the site that shows something of a run, to the person who asked."""
    api = f"/api/v1/runs/{run.pk}"
    pages = [reverse(name, args=[run.pk]) for name in ("run", "run-json", "run-status", "feedback")]
    return [*pages, api, f"{api}/progress", f"{api}/events", "/api/v1/runs", "/"]


def admin_addresses():
    for model in (Run, Transition, Progress):
        listed = f"/admin/runs/{model._meta.model_name}/"
        yield listed
        for key in model.objects.values_list("pk", flat=True):
            yield f"{listed}{key}/change/"


@pytest.mark.parametrize("last", [scripts.ANSWER, {"fail": "rate_limited"}], ids=["answered", "failed"])
def test_what_is_recorded_is_shown_nowhere_on_the_site(scripted, client, caplog, streams_stay_here, last):
    scripted([*scripts.WHOLE[:-1], REFUSED, last])
    with caplog.at_level("DEBUG"):
        run = answered(cast.asker())
    # Django's SQL at this level shows all that is stored; only a developer turns it on.
    said = [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    assert CANARY not in "".join(said)
    assert CANARY in "".join(write(transcript_of(run)))
    client.force_login(run.evaluator)
    assert not [path for path in addresses(run) if CANARY.encode() in content(client.get(path))]
    client.force_login(cast.manager())
    assert not [path for path in admin_addresses() if CANARY.encode() in content(client.get(path))]


def test_no_permission_lets_anybody_see_recordings():
    assert not admin.site.is_registered(TranscriptEntry)
    assert not Permission.objects.filter(content_type__model="transcriptentry").exists()


@pytest.fixture
def model_server(loaded_corpus, settings):
    """A model behind a real client, which searches once and then answers without citing anything."""
    with OpenAIServer() as server:
        settings.PROVIDER = ProviderSettings(
            ProviderName.OPENAI_CHAT, model="m-1", api_key="sk-muy-secreta", base_url=server.url
        )
        call = {"name": "search_documents", "arguments": json.dumps({"query": "salario mínimo"})}
        calls = [{"id": "call_1", "type": "function", "function": call}]
        said = json.dumps(REFUSED["answer"])
        server.play(completion({"content": None, "tool_calls": calls}), completion({"content": said}))
        yield server


def test_the_requests_to_a_model_are_recorded_as_they_were_sent(model_server):
    run = answered(cast.asker())
    entries = transcript_of(run).entries
    sent = [call.request for entry in entries if isinstance(entry, Exchange) for call in entry.calls]
    assert sent == [received.body for received in model_server.received]
    assert len(sent) == 8


def test_no_key_is_in_a_recording(model_server):
    assert "sk-muy-secreta" not in "".join(write(transcript_of(answered(cast.asker()))))


def test_what_a_request_repeats_takes_no_room(model_server):
    run = answered(cast.asker())
    bodies = [len(entry.body) for entry in run.transcript.all()]
    whole = sum(len(line) for line in write(transcript_of(run)))
    exchanges = [
        body
        for body, entry in zip(bodies[1:], transcript_of(run).entries, strict=True)
        if not isinstance(entry, CorpusCall)
    ]
    assert sum(bodies) < whole / 8
    assert max(exchanges[1:]) < exchanges[0] / 2


def test_tokens_are_summed_for_a_run_that_failed(model_server):
    server_answers = completion({"content": json.dumps(REFUSED["answer"])})
    model_server.play(server_answers)
    run: list[Run] = []

    def cancel(event):
        if event.kind == EventKind.ANSWER_REVISION_REQUESTED:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.append(answered(cast.asker(), listener=cancel))
    usage = public_run(Run.objects.get())["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (120, 15)
