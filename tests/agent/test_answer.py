"""Reading a draft, and keeping only citations of what was read."""

import json

import pytest

from dofpilot.agent.answer import parse, resolve
from dofpilot.agent.outcome import PremiseStatus

FITTING = {"answer": "Son doce [7].", "citations": [7], "premise_status": "supported"}
JSON = json.dumps(FITTING)
READ = frozenset({1, 7, 8, 9})
FOUND = frozenset({10, 11})


def resolved(text, citations=(), premise_status="supported"):
    return resolve(
        parse(json.dumps({"answer": text, "citations": list(citations), "premise_status": premise_status})),
        READ,
        FOUND.__contains__,
    ).answer


def rejected(answer):
    return [(rejection.id, rejection.reason.value) for rejection in answer.rejected_citations]


@pytest.mark.parametrize(
    "text",
    [
        JSON,
        f"```json\n{JSON}\n```",
        f"```\n{JSON}\n```",
        f"Esta es la respuesta:\n{JSON}\nEspero que sirva.",
        f'{{"nota": "antes"}} {JSON}',
        f'{JSON} {{"answer": "Otra", "citations": [], "premise_status": "false"}}',
        f'{{"answer": "sin citas"}} {JSON}',
        f"Uso {{llaves}} sueltas. {JSON}",
        f'{{"respuesta": {JSON}}}',
        json.dumps(FITTING, indent=2),
        json.dumps(JSON),
        f"```json\n{json.dumps(JSON)}\n```",
        "La fórmula $\\frac{a}{b_{1}}$ " * 100 + JSON,
    ],
)
def test_the_first_object_that_fits_is_the_answer(text):
    final = parse(text)
    assert (final.text, final.citations, final.faults) == ("Son doce [7].", (7,), ())


def test_a_fence_inside_the_text_stays():
    text = "Dice:\n```\n{tabla}\n```\ny termina [7]."
    assert parse(json.dumps(FITTING | {"answer": text})).text == text


def test_line_breaks_that_were_not_escaped_are_read():
    final = parse('{"answer": "Uno.\nDos.", "citations": [7], "premise_status": "unclear"}')
    assert (final.text, final.faults) == ("Uno.\nDos.", ())


def test_an_answer_inside_another_objects_text_is_not_the_answer():
    outer = {"answer": f"Dice {JSON} [8].", "citations": [8], "premise_status": "false"}
    final = parse(json.dumps(outer))
    assert (final.citations, final.premise_status) == ((8,), PremiseStatus.FALSE)


def test_the_case_of_the_premise_makes_no_difference():
    assert parse(json.dumps(FITTING | {"premise_status": " False "})).premise_status is PremiseStatus.FALSE


def test_a_number_too_long_to_read_makes_no_answer():
    assert parse(JSON.replace('"citations": [7]', f'"citations": [{"9" * 5000}]')).faults


def test_a_marker_that_was_cut_is_not_shown():
    assert parse('{"answer": "Son doce [7]. Y trece [12').text == "Son doce [7]. Y trece"


def test_free_text_is_kept_as_it_is():
    final = parse("Son doce [7].")
    assert (final.text, final.premise_status) == ("Son doce [7].", PremiseStatus.UNCLEAR)


def test_of_an_answer_that_was_cut_its_text_is_kept():
    assert parse('{"answer": "Son \\"doce\\" [7]. Y adem').text == 'Son "doce" [7]. Y adem'


@pytest.mark.parametrize("text", ["{" * 100_000, '{"a":' * 50_000, "[" * 10_000, '{"answer": "\\ud8'])
def test_hostile_text_is_no_answer(text):
    assert parse(text).faults


def test_citations_that_do_not_count_are_rejected_as_written_and_with_their_reason():
    answer = resolved("Texto.", [7, 10, 12, 0, -1, "12", "7", None, True, 8.0, {"id": 7}, [7], 7, 10**30])
    assert answer.citations == (7,)
    assert rejected(answer) == [
        ("10", "not_read"),
        ("12", "unknown"),
        ("0", "invalid"),
        ("-1", "invalid"),
        ("12", "invalid"),
        ("7", "invalid"),
        ("None", "invalid"),
        ("True", "invalid"),
        ("8.0", "invalid"),
        ("{'id': 7}", "invalid"),
        ("[7]", "invalid"),
        ("7", "repeated"),
        (str(10**30), "unknown"),
    ]


def test_true_repeats_no_number():
    assert rejected(resolved("Texto.", [1, True])) == [("True", "invalid")]


def test_a_use_in_the_text_and_one_in_the_list_are_no_repetition():
    answer = resolved("Uno [7]. Dos [7].", [7])
    assert (answer.citations, answer.rejected_citations) == ((7,), ())


def test_citations_follow_first_use_and_then_the_list():
    assert resolved("Uno [9]. Dos [7].", [7, 8, 9]).citations == (9, 7, 8)


def test_a_marker_that_the_list_forgot_is_a_citation():
    assert resolved("Uno [8].", []).citations == (8,)


def test_markers_of_other_ids_leave_the_text():
    answer = resolved("Uno [99]. Dos [7, 99], tres [0] y [-1].", [7])
    assert answer.text == "Uno. Dos [7], tres y."
    assert rejected(answer) == [("99", "unknown"), ("0", "invalid"), ("-1", "invalid")]


def test_several_ids_in_one_marker_become_one_marker_each():
    assert resolved("Uno [7, 8; 9].").text == "Uno [7][8][9]."


def test_brackets_with_words_stay():
    assert resolved("La ley [sic] dice [7] «[...]».").text == "La ley [sic] dice [7] «[...]»."


def test_nothing_is_left_of_a_text_made_of_rejected_markers():
    assert resolved("[99]") is None


def test_enormous_citations_are_cut():
    answer = resolved("Texto.", ["x" * 5000, *range(100, 200)])
    assert len(answer.rejected_citations) == 20
    assert max(len(rejection.id) for rejection in answer.rejected_citations) == 40
