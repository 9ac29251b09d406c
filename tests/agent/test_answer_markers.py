"""Markers in an answer's text: each way to write one, and what is never displayed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dofpilot.agent.answer import parse, resolve
from dofpilot.agent.outcome import MARKER

READ = frozenset({1, 7, 8, 9})
FOUND = frozenset({10, 11})


def resolved(text):
    final = parse(json.dumps({"answer": text, "citations": [], "premise_status": "supported"}))
    return resolve(final, READ, FOUND.__contains__).answer


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("[chunk_id: 7]", "[7]"),
        ("[chunk_id 8]", "[8]"),
        ("[Chunk 7]", "[7]"),
        ("[chunk7]", "[7]"),
        ("[pasaje 7]", "[7]"),
        ("[fuentes: 7 y 8]", "[7][8]"),
        ("[chunk 7, chunk 8]", "[7][8]"),
        ("(chunk_id=7)", "[7]"),
        ("{pasaje 7}", "[7]"),
        ("[^7]", "[7]"),
        ("[#7]", "[7]"),
        ("[ 7 ]", "[7]"),
        ("[007]", "[7]"),
        ("[7, 8]", "[7][8]"),
        ("[7 8]", "[7][8]"),
        ("[7;8 y 9]", "[7][8][9]"),
        ("[7-9]", "[7][8][9]"),
        ("[7–9]", "[7][8][9]"),
        ("[7 a 9]", "[7][8][9]"),
        ("[7-11]", "[7][8][9]"),
        ("[[7]]", "[7]"),
        ("【7】", "[7]"),
        ("【7†L3-L9】", "[7]"),
        ("［７］", "[7]"),
        ("〔8〕", "[8]"),
        ("[7](https://example.org/a)", "[7]"),
        ("[7](javascript:x)", "[7]"),
        ("[7](#7)", "[7]"),
        ("[7](data:text/html,x)[8](//example.org)", "[7][8]"),
        ("[7](véase)", "[7](véase)"),
        ("[7\u200b]", "[7]"),
        ("[\u202e7\u202c]", "[7]"),
        ("\u2066[7]\u2069", "[7]"),
        ("[\ufeff7\u00ad]", "[7]"),
        ("[7\x1b]", "[7]"),
    ],
)
def test_each_spelling_of_a_marker_becomes_the_one_form(written, kept):
    answer = resolved(f"Uno {written}.")
    assert answer.text == f"Uno {kept}."
    assert answer.citations == tuple(int(number) for number in MARKER.findall(kept))


@pytest.mark.parametrize(
    "written",
    [
        "[99]",
        "[10]",
        "[-7]",
        "[−7]",
        "[7.0]",
        "[12-14]",
        "[14-12]",
        "[1-9999999]",
        "[12, 13]",
        "[^99]",
        "【99】",
        "［９９］",
        "[[99]]",
        "[99](https://example.org)",
        "[9\u200b9]",
        "[" + "9" * 25 + "]",
        "[" + "9" * 9000 + "]",
        "(chunk 99)",
        "[99[99]99]",
        "[" * 12 + "99" + "]" * 12,
    ],
)
def test_a_marker_of_what_was_not_read_is_never_displayed(written):
    answer = resolved(f"Uno {written} fin.")
    assert not any(char.isdigit() for char in answer.text)
    assert answer.citations == ()
    assert answer.rejected_citations


@pytest.mark.parametrize(
    "written", ["[[99]7]", "[7[99]]", "[1[99]0]", "[[[[99]99]99]10]", "[" * 99 + "99" + "]99" * 98 + "]"]
)
def test_no_marker_comes_of_what_stood_around_another(written):
    answer = resolved(f"Uno {written} fin.")
    assert {int(number) for number in MARKER.findall(answer.text)} <= set(answer.citations)
    assert set(answer.citations) <= READ


LONG_READ = frozenset({574500, 577500})


def with_long_ids(text):
    final = parse(json.dumps({"answer": text, "citations": [], "premise_status": "supported"}))
    return resolve(final, LONG_READ, {577501}.__contains__).answer


LONG_FORMS = [
    "['{}']",
    "[{}, p. 3]",
    "[doc {}]",
    "[documento {}]",
    "[{}.]",
    "\\[{}\\]",
    "[**{}**]",
    "[{}a]",
    "[+{}]",
    "[{}:1]",
    "[chunk-{}]",
    "[véase el pasaje {}]",
    "[[doc {}]]",
    "[«{}»]",
    "[doc {}](https://example.org)",
]


@pytest.mark.parametrize("form", LONG_FORMS)
def test_a_long_number_that_was_read_is_a_marker_whatever_stands_beside_it(form):
    answer = with_long_ids(f"Son pesos {form.format(574500)}.")
    assert (answer.text, answer.citations) == ("Son pesos [574500].", (574500,))


@pytest.mark.parametrize("form", LONG_FORMS)
@pytest.mark.parametrize(("name", "reason"), [(577501, "not_read"), (999999, "unknown")])
def test_a_long_number_that_was_not_read_leaves_the_text_and_is_rejected(form, name, reason):
    answer = with_long_ids(f"Son pesos {form.format(name)}.")
    assert (answer.text, answer.citations) == ("Son pesos.", ())
    assert [(rejected.id, rejected.reason) for rejected in answer.rejected_citations] == [(str(name), reason)]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("[999](577500)", "[577500]"),
        ("[574500](577500)", "[574500][577500]"),
        ("[574500](574500)", "[574500]"),
        ("[999](999999)", ""),
        ("(577500)", "[577500]"),
        ("(577501)", ""),
        ("{doc 577500}", "{doc 577500}"),
        ("[574500, p. 3; 577500, p. 4]", "[574500][577500]"),
        ("[574500, p. 3; 999999, p. 4]", "[574500]"),
    ],
)
def test_each_long_number_of_a_marker_counts_by_itself(written, kept):
    assert (
        with_long_ids(f"Son pesos{' ' if kept else ''}{written}.").text
        == f"Son pesos{' ' if kept else ''}{kept}."
    )


@pytest.mark.parametrize(
    "text",
    [
        "Fueron (999999) y {999999} pesos.",
        "El teléfono [tel. 5512345678] y el año [nota de 2025].",
        "Está en [https://example.org/nota?codigo=999999].",
        "La nota [cita larga que sigue y sigue hasta decir mucho más de lo que cabe en un marcador: 999999].",
    ],
)
def test_a_long_number_that_is_no_id_of_this_run_stays(text):
    assert with_long_ids(text).text == text


@given(st.text(alphabet="[]()\\ 0179 .,doc\n", max_size=40))
def test_whatever_stands_beside_it_only_what_was_read_is_displayed(text):
    answer = with_long_ids(f"Uno {text}[{text}577501{text}] fin.")
    assert {int(number) for number in MARKER.findall(answer.text)} <= LONG_READ


@given(st.text(alphabet="[]［】(){}^0179,;-–. yachunk:#†\u200b\u202e\n"))
def test_whatever_is_written_only_what_was_read_is_displayed(text):
    answer = resolved(f"Uno {text} fin.")
    assert {int(number) for number in MARKER.findall(answer.text)} <= set(answer.citations)
    assert set(answer.citations) <= READ


@pytest.mark.parametrize(
    "text",
    [
        "La ley [artículo 12] y [sic].",
        "Fórmula (7) y {8}, [a], [7a], [], [1.5].",
        "[texto](https://example.org) y ![x](https://example.org/7.png) no",
    ],
)
def test_what_may_be_something_else_stays(text):
    assert resolved(text).text == text


def test_a_period_of_years_is_no_span_of_passages_unless_one_is_known():
    final = parse(json.dumps({"answer": "El plan [2025-2026].", "citations": [], "premise_status": "false"}))
    assert resolve(final, READ, FOUND.__contains__).answer.text == "El plan [2025-2026]."
    assert resolve(final, {2025}, FOUND.__contains__).answer.text == "El plan [2025]."


def test_what_cannot_be_seen_leaves_the_text():
    answer = resolved("Son \u202e21\u202c y\u200b\x07 doce\r\n[7]\tfin.")
    assert answer.text == "Son 21 y doce\n[7]\tfin."
