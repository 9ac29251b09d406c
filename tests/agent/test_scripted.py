"""The provider of tests: scripts in Python and in files."""

import json
import threading

import pytest

from dofpilot.agent.errors import AgentFailure, ConfigurationError, FailureCode
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.providers.scripted import ScriptedProvider
from dofpilot.agent.runner import run
from tests.agent.asking import AS_OF, QUESTION, Log, ask
from tests.agent.fake_corpus import gazette

STEPS = [
    {"tool": "search_documents", "arguments": {"query": "salario 2026"}},
    {"tool": "read_chunks", "arguments": {"chunk_ids": ["$chunks[1]", "$chunks[0]"]}},
    {
        "answer": {
            "answer": "En 2026, 315.04 pesos [$read[0]].",
            "citations": ["$read[0]"],
            "premise_status": "supported",
        }
    },
]


@pytest.fixture
def play(tmp_path):
    """Write a script and run a question with it."""

    def played(steps, **more):
        path = tmp_path / "script.json"
        path.write_text(json.dumps({"steps": steps, **more}), encoding="utf-8")
        provider = ScriptedProvider.from_file(path)
        return lambda: run(QUESTION, AS_OF, 1, provider, gazette(), Limits(), Log())

    return played


def test_a_file_names_what_earlier_tools_returned(play):
    outcome = play(STEPS)()
    (cited,) = outcome.answer.citations
    assert outcome.stop_reason is StopReason.ANSWERED
    assert f"[{cited}]" in outcome.answer.text
    assert cited == outcome.passages[0].chunk_id


def test_documents_can_be_named(play):
    steps = [
        STEPS[0],
        {"tool": "get_document_outline", "arguments": {"document_id": "$documents[0]"}},
        {"tool": "read_chunks", "arguments": {"chunk_ids": ["$chunks[2]"]}},
        STEPS[2],
    ]
    assert play(steps)().stop_reason is StopReason.ANSWERED


def test_one_provider_plays_its_script_for_each_run(play):
    again = play(STEPS)
    assert again().answer == again().answer


def test_calls_are_counted_when_the_script_says_so(play, tmp_path):
    play(STEPS, count_calls=True)()
    lines = (tmp_path / "script.json.calls").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["question"] for line in lines] == [[QUESTION]] * 3


def test_a_call_is_counted_before_it_hangs(play, tmp_path):
    calls, gate = tmp_path / "script.json.calls", tmp_path / "gate"
    answering = threading.Thread(
        target=play([{"wait_for_file": str(gate)}, *STEPS], count_calls=True), daemon=True
    )
    answering.start()
    while answering.is_alive() and not calls.exists():
        pass
    assert answering.is_alive()
    gate.touch()
    answering.join(10)
    assert len(calls.read_text(encoding="utf-8").splitlines()) == 3


def test_a_script_can_fail_with_a_public_code(play):
    with pytest.raises(AgentFailure) as failure:
        play([{"wait_ms": 1}, {"fail": "rate_limited"}])()
    assert failure.value.code is FailureCode.RATE_LIMITED


def test_a_reference_to_what_nobody_returned_fails(play):
    with pytest.raises(AgentFailure, match=r"\$read\[0\]"):
        play([{"text": "Cita [$read[0]]."}])()


def test_a_script_that_ends_too_early_fails():
    with pytest.raises(AgentFailure, match="no step 1"):
        ask([])


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"steps": [{"tol": "x"}]}', '{"steps": [{"fail": "bad_luck"}]}', None]
)
def test_a_file_that_is_no_script_is_refused_by_setting(tmp_path, content):
    path = tmp_path / "script.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError) as refused:
        ScriptedProvider.from_file(path)
    assert refused.value.setting == "DOFPILOT_SCRIPT"
