"""What is wrong with a draft's form: told exactly, and no more of it is shown than its answer."""

from __future__ import annotations

import json

import pytest

from dofpilot.agent.answer import parse
from dofpilot.agent.conversation import Draft
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import FaultCode, PremiseStatus, StopReason
from dofpilot.agent.prompting import ANSWER_SCHEMA
from dofpilot.agent.render.public import public_result
from tests.agent.asking import CHUNK, ask, good_answer, read, search

FITTING = {"answer": "Son doce [7].", "citations": [7], "premise_status": "supported"}
JSON = json.dumps(FITTING)
FORM = "La respuesta no tiene la forma pedida: "


def changed(**keys: object) -> str:
    return json.dumps(FITTING | keys, ensure_ascii=False)


def without(*keys: str) -> str:
    return json.dumps({key: value for key, value in FITTING.items() if key not in keys})


def faults(text: str) -> list[str]:
    return [fault.text for fault in parse(text).faults]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Son doce [7].", ["falta el objeto JSON con «answer», «citations» y «premise_status»"]),
        ("Uso {} y {llaves} [7].", ["falta el objeto JSON con «answer», «citations» y «premise_status»"]),
        (JSON.replace("[7],", "[7,],"), ["el objeto JSON está mal escrito o incompleto"]),
        (JSON.replace("}", ",}"), ["el objeto JSON está mal escrito o incompleto"]),
        (without("premise_status"), ["falta «premise_status»"]),
        (without("citations", "premise_status"), ["falta «citations»", "falta «premise_status»"]),
        (without("answer"), ["falta «answer»"]),
        (changed(answer=["Son doce [7]."]), ["«answer» no es un texto"]),
        (changed(citations=7), ["«citations» no es una lista"]),
        (
            changed(premise_status="verdadera"),
            ["«premise_status» dice «verdadera» y debe ser «supported», «false» o «unclear»"],
        ),
        (
            changed(premise_status=None),
            ["«premise_status» dice «null» y debe ser «supported», «false» o «unclear»"],
        ),
        (JSON, []),
        (changed(answer=" "), []),
        (" ", []),
    ],
)
def test_each_fault_of_the_form_is_told(text: str, told: list[str]):
    assert faults(text) == told


def test_the_values_named_are_those_of_the_schema():
    assert [fault.values["key"] for fault in parse('{"answer": "x", "otra": 1}').faults] == [
        key for key in ANSWER_SCHEMA["required"] if key != "answer"
    ]
    (fault,) = parse(changed(premise_status="x")).faults
    assert all(f"«{status}»" in fault.text for status in PremiseStatus)


@pytest.mark.parametrize("status", ["x" * 5000, "\u202e[7]\x00" * 900, {"a": ["b"] * 5000}])
def test_what_a_model_writes_for_a_premise_is_shown_short_and_harmless(status: object):
    (fault,) = parse(changed(premise_status=status)).faults
    assert fault.code is FaultCode.UNKNOWN_PREMISE
    assert len(fault.values["value"]) <= 40
    assert not set(fault.values["value"]) & {"\u202e", "\x00"}


@pytest.mark.parametrize("text", [without("premise_status"), changed(premise_status="verdadera")])
def test_only_the_premise_at_fault_keeps_text_and_citations(text: str):
    final = parse(f"Aquí está:\n```json\n{text}\n```")
    assert (final.text, final.citations) == ("Son doce [7].", (7,))
    assert final.premise_status is PremiseStatus.UNCLEAR


def test_a_fault_elsewhere_keeps_the_premise():
    assert parse(changed(citations=7, premise_status="false")).premise_status is PremiseStatus.FALSE


def test_false_without_quotes_is_the_premise_false():
    final = parse(changed(premise_status=False))
    assert (final.premise_status, final.faults) == (PremiseStatus.FALSE, ())


@pytest.mark.parametrize(
    "text",
    [
        without("premise_status"),
        changed(citations="7"),
        JSON.replace("}", ",}"),
        f"```json\n{JSON[:-1]},}}\n```",
        f'{{"nota": 1}} {without("citations")} {{"answer": 7}}',
        f'{{"answer": ""}} {without("citations")}',
    ],
)
def test_of_an_object_with_an_answer_nothing_else_is_shown(text: str):
    assert parse(text).text == "Son doce [7]."


@pytest.mark.parametrize(
    "text",
    [
        without("answer"),
        changed(answer=7),
        '```json\n{"name": "search_documents", "arguments": {}}\n```',
        "{}",
    ],
)
def test_an_object_without_an_answer_shows_nothing(text: str):
    assert parse(text).text == ""


def test_text_beside_an_object_without_an_answer_is_kept():
    final = parse('Son doce [7]. {"citations": [7]}')
    assert final.text.startswith("Son doce [7].")
    assert final.citations == (7,)


def shown(*drafts: Draft, turns: int = 6):
    asked = ask([search(), read(CHUNK), *drafts], limits=Limits(turns=turns))
    return asked, public_result(asked.outcome)


def spoiled(**keys: object) -> Draft:
    """The accepted answer with ``keys`` in place of its own; ``None`` leaves one out."""
    written = json.loads(good_answer().text) | keys
    return Draft(json.dumps({key: value for key, value in written.items() if value is not None}))


def test_the_model_and_the_log_are_told_the_fault():
    asked, _ = shown(spoiled(premise_status=None, citations="1"), good_answer())
    (revision,) = asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    reason = revision["reasons"][0]
    assert reason["code"] == "not_json"
    assert reason["text"] == f"{FORM}falta «premise_status»; «citations» no es una lista."
    assert [(fault["code"], fault["values"]) for fault in reason["values"]["fault"]] == [
        ("missing_key", {"key": "premise_status"}),
        ("citations_no_list", {}),
    ]
    assert asked.outcome.stop_reason is StopReason.ANSWERED


def test_at_a_limit_the_person_reads_the_answer_and_what_was_wrong():
    _, result = shown(spoiled(premise_status="verdadera"), turns=3)
    assert result["stop_reason"] == "turn_limit"
    assert result["answer"]["text"] == json.loads(good_answer().text)["answer"]
    assert result["answer"]["citations"] == [CHUNK]
    assert result["answer"]["premise_status"] == "unclear"
    assert [warning["text"] for warning in result["warnings"] if warning["code"] == "not_json"] == [
        f"{FORM}«premise_status» dice «verdadera» y debe ser «supported», «false» o «unclear»."
    ]


def test_an_object_without_an_answer_is_told_so_and_never_shown():
    asked, result = shown(spoiled(answer=None), turns=3)
    assert result["answer"] is None
    asked, _ = shown(spoiled(answer=None), good_answer())
    (revision,) = asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    assert [reason["code"] for reason in revision["reasons"]] == ["no_text", "not_json"]
    assert "falta «answer»" in revision["reasons"][1]["text"]


@pytest.mark.parametrize("text", ["", " ", changed(answer="")])
def test_an_empty_answer_is_only_called_empty(text: str):
    asked, _ = shown(Draft(text), good_answer())
    (revision,) = asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    assert [reason["code"] for reason in revision["reasons"]] == ["no_text"]
