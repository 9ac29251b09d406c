"""A run executed again from its recording: the same to the byte, or the first difference."""

from __future__ import annotations

import io
import json
import re
import signal
import stat
import uuid

import pytest
from django.core.management import CommandError, call_command

from dofpilot.agent import runner, wording
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.providers.registry import ProviderName, ProviderSettings
from dofpilot.agent.recording.transcript import read
from runs import lifecycle, replays
from tests import cast, scripts
from tests.runs.recorded import QUESTION, answered, play
from tests.runs.test_commands import last_state
from tests.site import ROOT
from tests.waiting import wait_for

GOLDEN = ROOT / "tests" / "agent" / "recording" / "golden" / "salario.transcript.jsonl"


@pytest.fixture
def scripted(db, loaded_corpus, settings, tmp_path):
    """``scripted(steps)`` chooses the provider's replies; those of a whole run to begin with."""

    def choose(steps):
        play(settings, tmp_path, steps)

    choose(scripts.WHOLE)
    return choose


def command(*arguments):
    """What it wrote on both outputs."""
    out, err = io.StringIO(), io.StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refusal(*arguments):
    """Its exit code and what it said."""
    with pytest.raises(CommandError) as refused:
        command(*arguments)
    return refused.value.returncode, str(refused.value)


def without_outside_worlds(monkeypatch, settings, tmp_path):
    settings.CORPUS = tmp_path / "nada"
    settings.PROVIDER = ProviderSettings(ProviderName.SCRIPTED, script=tmp_path / "nada.json")


def test_a_run_is_repeated_without_its_provider_and_its_corpus(scripted, monkeypatch, settings, tmp_path):
    run = answered(cast.asker())
    without_outside_worlds(monkeypatch, settings, tmp_path)
    out, _ = command("replay", run.pk)
    assert out == f"{run.pk}: repetida sin proveedor ni acervo; 12 pasos y la respuesta, idénticos.\n"


def test_so_is_one_of_the_provider_that_needs_no_model(db, loaded_corpus):
    run = answered(cast.asker(), "¿Cuánto valía la UMA diaria en 2025 y cuánto vale en 2026?")
    assert "y la respuesta, idénticos" in command("replay", run.pk)[0]


@pytest.mark.parametrize("code", [FailureCode.RATE_LIMITED, FailureCode.DEADLINE_EXCEEDED])
def test_so_is_one_whose_provider_failed(scripted, code):
    scripted([scripts.SEARCH, {"fail": code}])
    run = answered(cast.asker())
    assert f"5 pasos y el desenlace ({code}), idénticos" in command("replay", run.pk)[0]


def test_so_is_one_that_lost_its_worker(scripted):
    steps = iter(range(100))

    def lose(event):
        if next(steps) == 5:
            lifecycle.interrupt_held("test")

    run = answered(cast.asker(), listener=lose)
    assert "6 pasos y el desenlace (interrupted), idénticos" in command("replay", run.pk)[0]


def test_so_is_one_that_met_a_fault_of_ours(scripted, monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError

    monkeypatch.setattr(runner, "execute", broken)
    run = answered(cast.asker())
    assert "3 pasos y el desenlace (internal_error), idénticos" in command("replay", run.pk)[0]


def test_a_fault_that_was_not_there_before_is_told_as_the_fault_it_is(scripted, monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError

    run = answered(cast.asker())
    monkeypatch.setattr(runner, "execute", broken)
    with pytest.raises(ZeroDivisionError):
        command("replay", run.pk)


@pytest.mark.parametrize(
    ("number", "failure"), [(signal.SIGINT, "cancelled"), (signal.SIGTERM, "interrupted")]
)
def test_so_is_one_that_was_told_to_end_while_its_provider_thought(site, tmp_path, number, failure):
    steps = [scripts.SEARCH, {"wait_for_file": str(tmp_path / "never"), **scripts.SEARCH_INSIDE}]
    chosen = scripts.write(tmp_path / "script.json", steps)
    with site.begin("ask", QUESTION, **chosen) as asking:
        wait_for(lambda: scripts.calls(tmp_path / "script.json") == 2)
        asking.send_signal(number)
        asking.wait(20)
    assert last_state(site) == ("failed", failure)
    [(run_id,)] = site.database.rows("SELECT id FROM runs_run")
    replayed = site.manage("replay", run_id)
    assert f"5 pasos y el desenlace ({failure}), idénticos" in replayed.stdout, replayed.stderr
    entries = [json.loads(line) for line in site.manage("transcript", run_id).stdout.splitlines()]
    assert [entry["type"] for entry in entries] == ["header", "exchange", "corpus_call", "exchange", "ending"]
    assert entries[3]["reply"] is entries[3]["failure"] is None


def test_the_first_step_that_differs_is_told(scripted, monkeypatch):
    run = answered(cast.asker())
    monkeypatch.setattr(wording, "READING_ONE", "Lee un solo pasaje")
    code, said = refusal("replay", run.pk)
    assert code == 1
    assert re.search(r"difiere en paso \d+ \(tool_started\)\.payload\.message\n", said)
    assert '  guardado: "Lee un pasaje"\n  repetido: "Lee un solo pasaje"' in said


def test_an_answer_that_differs_is_told(scripted, monkeypatch):
    run = answered(cast.asker())
    as_it_was = replays.public_result

    def shifted(outcome):
        result = as_it_was(outcome)
        result["evidence"][0]["heading_path"].append("otro")
        return result

    monkeypatch.setattr(replays, "public_result", shifted)
    code, said = refusal("replay", run.pk)
    path = re.search(r"difiere en (\S+)\n  guardado: —\n  repetido: \"otro\"", said)[1]
    assert (code, path.startswith("resultado.evidence[0].heading_path[")) == (1, True)


def unknown_here(text, run):
    """A recording as that of a run which this database does not hold."""
    return text.replace(str(run.pk), str(uuid.uuid4()))


def test_a_run_that_asks_its_corpus_for_something_else_is_told(scripted, tmp_path):
    run = answered(cast.asker())
    lines = unknown_here(command("transcript", run.pk)[0], run).splitlines(keepends=True)
    assert '"corpus_call"' in lines[2]
    lines[2] = lines[2].replace("salario mínimo general 2026", "salario mínimo 2024")
    (tmp_path / "otra.jsonl").write_text("".join(lines), encoding="utf-8")
    code, said = refusal("replay", "--file", tmp_path / "otra.jsonl")
    assert code == 1
    assert "se apartó de su grabación\n  call 1 is search_documents" in said


def test_a_file_of_several_recordings_is_repeated_run_by_run(scripted, tmp_path):
    ana = cast.asker()
    runs = [answered(ana), answered(ana)]
    both = "".join(command("transcript", run.pk)[0] for run in runs)
    (tmp_path / "dos.jsonl").write_text(unknown_here(both, runs[1]), encoding="utf-8")
    first, second = command("replay", "--file", tmp_path / "dos.jsonl")[0].splitlines()
    assert "y la respuesta, idénticos" in first
    assert "aquí no hay nada guardado con que compararla" in second


def test_a_transcript_goes_to_the_output_alone_and_says_that_it_is_private(scripted):
    run = answered(cast.asker())
    out, err = command("transcript", run.pk)
    (transcript,) = read(out.splitlines())
    assert transcript.header.run_id == str(run.pk)
    assert err.startswith("Privado: ")


def test_a_transcript_in_a_file_is_for_its_owner_alone_and_replaces_none(scripted, tmp_path):
    run, path = answered(cast.asker()), tmp_path / "grabación.jsonl"
    out, _ = command("transcript", run.pk, "--output", path)
    assert out == ""
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text(encoding="utf-8") == command("transcript", run.pk)[0]
    code, said = refusal("transcript", run.pk, "--output", path)
    assert (code, str(path) in said) == (1, True)


@pytest.mark.parametrize("name", ["transcript", "replay"])
def test_a_run_without_a_recording_is_refused_with_the_reason(db, name):
    waiting, failed = cast.waiting_run(cast.asker()), cast.failed_run(cast.asker("beto"))
    assert refusal(name, waiting.pk) == (
        1,
        f"No hay grabación de {waiting.pk}: la investigación no ha terminado.",
    )
    code, said = refusal(name, failed.pk)
    assert (code, "antes de que hubiera algo que grabar" in said) == (1, True)


@pytest.mark.parametrize("name", ["transcript", "replay"])
@pytest.mark.parametrize("identifier", ["nada", "\x1b[31m", str(uuid.UUID(int=7))])
def test_what_is_no_run_is_bad_input(db, name, identifier):
    code, said = refusal(name, identifier)
    assert code == 2
    assert "\x1b" not in said


@pytest.mark.parametrize("damage", ["nada", "", '{"type":"header"}\n'])
def test_a_file_that_is_no_recording_is_bad_input(db, tmp_path, damage):
    (tmp_path / "mala.jsonl").write_text(damage, encoding="utf-8")
    code, said = refusal("replay", "--file", tmp_path / "mala.jsonl")
    assert (code, "mala.jsonl» no es una grabación: line " in said) == (2, True)


def test_a_file_that_is_not_there_is_bad_input(db, tmp_path):
    assert refusal("replay", "--file", tmp_path / "nada.jsonl")[0] == 2


def test_a_file_whose_run_was_never_on_any_site_is_repeated(db):
    out, _ = command("replay", "--file", GOLDEN)
    assert out.startswith("golden: repetida en ")
    assert "aquí no hay nada guardado con que compararla" in out


def test_a_name_in_a_file_is_no_order_for_the_terminal(db, tmp_path):
    hostile = GOLDEN.read_text(encoding="utf-8").replace('"golden"', '"\\u001b[31mgolden"')
    (tmp_path / "rara.jsonl").write_text(hostile, encoding="utf-8")
    out, _ = command("replay", "--file", tmp_path / "rara.jsonl")
    assert out.startswith("\\x1b[31mgolden: ")
