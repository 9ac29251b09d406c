"""The replies of recorded runs, given again over the corpus that is there."""

from dataclasses import replace

import pytest

from dofpilot.agent.conversation import Usage
from dofpilot.agent.errors import AgentFailure, ConfigurationError, FailureCode
from dofpilot.agent.limits import Limits
from dofpilot.agent.providers.recorded import RecordedProvider
from dofpilot.agent.providers.registry import (
    ProviderName,
    ProviderSettings,
    identity,
    make_provider,
    validate,
)
from dofpilot.agent.providers.scripted import answer
from dofpilot.agent.recording.transcript import write
from dofpilot.agent.runner import run
from tests.agent.any_runs import Move, Plan
from tests.agent.asking import AS_OF, CHUNK, QUESTION, Log, good_answer, read, search
from tests.agent.fake_corpus import FakeCorpus, gazette
from tests.agent.recording.taping import changed, tape

GOOD = (Move(search(), Usage(100, 20)), Move(read(CHUNK)), Move(good_answer()))
OTHER = "¿Qué se publicó?"


def ask(provider, question=QUESTION, as_of=AS_OF, hops=1, corpus=None):
    """What a run with this provider ends with: an outcome, or its failure."""
    try:
        return run(question, as_of, hops, provider, corpus or gazette(), Limits(), Log())
    except AgentFailure as failure:
        return failure


@pytest.fixture
def transcript():
    return tape(Plan(GOOD)).transcript


def test_a_recorded_question_gets_its_replies_again(transcript):
    outcome = ask(RecordedProvider([transcript]))
    assert outcome.answer.citations == (CHUNK,)
    assert outcome.usage == Usage(100, 20)


def test_one_provider_serves_several_runs(transcript):
    empty = Plan((Move(answer("Nada.", [])),), Limits(turns=1), question=OTHER)
    provider = RecordedProvider([transcript, tape(empty).transcript])
    assert ask(provider).answer == ask(provider).answer
    # The recording of that question ends at its first turn, and today's limits allow for more.
    assert "no turn 2" in str(ask(provider, OTHER))


def test_of_the_same_question_the_last_recording_counts(transcript):
    later = tape(Plan((*GOOD[:2], Move(answer(f"Son 315.04 pesos [{CHUNK}].", [CHUNK]))))).transcript
    assert ask(RecordedProvider([transcript, later])).answer.text == f"Son 315.04 pesos [{CHUNK}]."
    assert ask(RecordedProvider([later, transcript])).answer.text.startswith("En 2026")


@pytest.mark.parametrize(
    "other", [{"question": OTHER}, {"as_of": AS_OF.replace(day=1)}, {"hops": 2}], ids=lambda other: str(other)
)
def test_a_question_that_is_not_recorded_is_refused(transcript, other):
    failure = ask(RecordedProvider([transcript]), **other)
    assert failure.code is FailureCode.PROVIDER_REFUSED
    assert str(failure) == "no transcript holds this question"


def test_a_run_that_goes_on_for_longer_than_recorded_is_told(transcript):
    # Nothing is found, so nothing is read and the recorded answer is sent back.
    failure = ask(RecordedProvider([transcript]), corpus=FakeCorpus(()))
    assert failure.code is FailureCode.PROVIDER_REFUSED
    assert "no turn 4" in str(failure)


@pytest.mark.parametrize(
    ("recorded", "now"),
    [
        (FailureCode.RATE_LIMITED, FailureCode.RATE_LIMITED),
        (FailureCode.DEADLINE_EXCEEDED, FailureCode.DEADLINE_EXCEEDED),
        (FailureCode.PROVIDER_UNAVAILABLE, FailureCode.PROVIDER_UNAVAILABLE),
        (FailureCode.CANCELLED, FailureCode.PROVIDER_REFUSED),
        (FailureCode.INTERRUPTED, FailureCode.PROVIDER_REFUSED),
        (None, FailureCode.PROVIDER_REFUSED),
    ],
)
def test_a_failure_is_given_again_but_for_a_stop(transcript, recorded, now):
    failed = changed(transcript, 2, reply=None, failure=recorded)
    failure = ask(RecordedProvider([failed]))
    assert failure.code is now


def test_it_says_whose_replies_they_are(transcript):
    one = RecordedProvider([transcript]).identity
    assert (one.provider, one.model, one.generative) == ("recorded", "scripted", True)
    plain = replace(transcript.header.identity, model="extractive-1", generative=False)
    other = replace(transcript, header=replace(transcript.header, question=OTHER, identity=plain))
    assert not RecordedProvider([other]).identity.generative
    both = RecordedProvider([transcript, other]).identity
    assert (both.model, both.generative) == ("varios", True)


@pytest.fixture
def path(tmp_path, transcript):
    path = tmp_path / "corrida.jsonl"
    path.write_text("".join(write(transcript)), encoding="utf-8")
    return path


def test_the_settings_name_a_file_of_recordings(path):
    settings = ProviderSettings(ProviderName.RECORDED, transcript=path)
    assert identity(settings).provider == "recorded"
    assert ask(make_provider(settings)).answer.citations == (CHUNK,)


def test_a_file_that_is_no_recording_is_refused_by_setting(tmp_path):
    other = tmp_path / "otra.jsonl"
    other.write_text("{}\n", encoding="utf-8")
    for wrong, said in (
        (None, "el proveedor «recorded» necesita la ruta de una grabación"),
        (tmp_path / "no.jsonl", "no se puede leer «"),
        (tmp_path, "no se puede leer «"),
        (other, f"«{other}» no es una grabación: "),
    ):
        for check in (validate, make_provider):
            with pytest.raises(ConfigurationError) as refused:
                check(ProviderSettings(ProviderName.RECORDED, transcript=wrong))
            assert refused.value.setting == "DOFPILOT_TRANSCRIPT"
            assert refused.value.reason.startswith(said)


def test_a_damaged_file_is_named_by_its_line(path):
    path.write_text(path.read_text(encoding="utf-8").replace('"turn":2', '"turn":"dos"'), encoding="utf-8")
    with pytest.raises(
        ConfigurationError, match=r"DOFPILOT_TRANSCRIPT: «.*corrida\.jsonl» no es una grabación: line 4: turn"
    ):
        make_provider(ProviderSettings(ProviderName.RECORDED, transcript=path))


def test_a_command_begins_without_reading_the_whole_file(path):
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    settings = ProviderSettings(ProviderName.RECORDED, transcript=path)
    validate(settings)
    with pytest.raises(ConfigurationError, match="line 7"):
        make_provider(settings)


def test_a_file_is_read_again_only_when_it_has_changed(path, transcript):
    settings = ProviderSettings(ProviderName.RECORDED, transcript=path)
    first = make_provider(settings)
    assert make_provider(settings) is first
    other = replace(transcript, header=replace(transcript.header, question=OTHER))
    path.write_text("".join(write(other)), encoding="utf-8")
    second = make_provider(settings)
    assert second is not first
    assert ask(second, OTHER).answer.citations == (CHUNK,)


def test_a_failure_tells_what_it_took_then(transcript):
    failed = changed(transcript, 2, reply=None, failure=FailureCode.RATE_LIMITED, usage=Usage(7, 3))
    assert ask(RecordedProvider([failed])).usage == Usage(7, 3)
