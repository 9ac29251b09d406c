"""The answer's pieces, Markdown, and formats."""

from __future__ import annotations

from datetime import date

import pytest
from django.utils import translation

from dofpilot.agent import wording
from dofpilot.agent.outcome import FaultCode, RemarkCode, RequirementKind
from dofpilot.agent.render import said
from dofpilot.agent.saying import Saying
from dofpilot.agent.wording import Sentence
from runs.presentation import formats
from runs.presentation.answer import Citation, FigureMark, Words, blocks, numbering
from runs.presentation.markdown import render
from runs.presentation.say import remark, requirement, sentence


def pieces(text, figures=(), citations=(), rejected=()):
    answer = {"text": text, "citations": list(citations), "rejected_citations": list(rejected)}
    return blocks(answer, figures, numbering(text, citations))


def mark(text, of, status="found", chunk_id=7):
    start = of.index(text)
    return {"text": text, "start": start, "end": start + len(text), "status": status, "chunk_id": chunk_id}


def test_numbers_follow_first_use_and_then_the_order_of_citation():
    assert numbering("a [30] b [10] c [30]", [10, 20, 30]) == {30: 1, 10: 2, 20: 3}


def test_a_marker_that_is_no_citation_gets_no_number():
    assert numbering("a [5] b [10]", [10]) == {10: 1}


def test_paragraphs_and_lists_are_told_apart():
    text = "Uno\nsigue\n\nDos\n- a [7]\n- b\n\n• c"

    made = pieces(text, citations=[7])

    assert [(block.listed, len(block.lines)) for block in made] == [
        (False, 2),
        (False, 1),
        (True, 2),
        (True, 1),
    ]
    assert made[2].lines[0] == (Words("a"), Citation(1))


def test_an_answer_as_long_as_a_book_is_set_at_once():
    # Where each blank, or each line, costs the length of the whole, this does not end.
    long = 3_000_000

    (block,) = pieces(f"a{' ' * long}b{' ' * long}")

    assert block.lines == ((Words(f"a{' ' * long}b"),),)
    (listed,) = pieces("- x [7]\n" * 100_000, citations=[7])
    assert set(listed.lines) == {(Words("x"), Citation(1))}


@pytest.mark.parametrize("line", ["\u00a0 Uno", "\tUno ", "Uno\r"])
def test_no_blank_before_or_after_a_line_hides_it(line):
    (block,) = pieces(line)

    assert block.lines == ((Words("Uno"),),)


def test_a_figure_that_covers_a_citation_or_another_figure_is_not_doubled():
    text = "son 10 pesos [7] y más"
    figures = [mark("10 pesos", text), mark("10", text), mark("pesos [7]", text)]

    (block,) = pieces(text, figures, citations=[7])

    assert block.lines == ((Words("son "), FigureMark("10 pesos", 1), Citation(1), Words(" y más")),)


def test_a_figure_found_in_no_numbered_passage_has_no_link():
    text = "son 10 pesos"

    (block,) = pieces(text, [mark("10 pesos", text, chunk_id=99)])

    assert block.lines == ((Words("son "), FigureMark("10 pesos", None)),)


@pytest.mark.parametrize("text", ["", "\n \n", "- \n"])
def test_an_answer_without_words_has_no_blocks_with_text(text):
    assert not [line for block in pieces(text) for line in block.lines]


def test_markdown_keeps_tables_and_lists_and_shifts_headings():
    html = render("# A\n\n### B\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n\n1. uno")

    assert "<h4>A</h4>" in html
    assert "<h6>B</h6>" in html
    assert '<td class="end">2</td>' in html
    assert "<li>uno</li>" in html
    assert "style=" not in html


@pytest.mark.parametrize(
    "attack",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://malo.example/x.png)",
        "[x](javascript:alert(1))",
        "[x](data:text/html,hola)",
        "[x](/logout)",
        "<a href='https://x.example' onclick='x()'>x</a>",
        "<style>p{}</style>",
        '<div style="position:fixed">x</div>',
    ],
)
def test_markdown_holds_nothing_that_acts(attack):
    html = render(attack)

    for harm in (
        "<script",
        "<img",
        "<style",
        "<div style",
        "<a href='",
        'href="javascript',
        'href="data',
        'href="/',
    ):
        assert harm not in html


def test_raw_html_of_a_passage_is_shown_as_text():
    assert render("un <b>texto</b>") == "<p>un &lt;b&gt;texto&lt;/b&gt;</p>\n"


def test_links_of_a_passage_give_no_credit_and_no_opener():
    assert render("[x](https://dof.gob.mx)") == (
        '<p><a href="https://dof.gob.mx" rel="nofollow noopener">x</a></p>\n'
    )


def test_marks_point_out_words_inside_other_markup():
    assert render("Son **315.04 pesos** hoy", [(6, 18)]) == (
        "<p>Son <strong><mark>315.04 pesos</mark></strong> hoy</p>\n"
    )


@pytest.mark.parametrize("marks", [[(2, 9)], [(-1, 3)], [(5, 5)], [(0, 999)], [(1, 4), (2, 6)]])
def test_a_mark_that_does_not_fit_leaves_the_text_whole(marks):
    text = "Son **315** hoy"

    html = render(text, marks)

    assert html.replace("<mark>", "").replace("</mark>", "") in (
        "<p>Son <strong>315</strong> hoy</p>\n",
        "<p>Son **315** hoy</p>\n",
    )


def test_text_cannot_bring_its_own_marks():
    assert "<mark>" not in render("a \ue000b\ue001 c")


@pytest.mark.parametrize(
    ("language", "written"), [("es-mx", "9 dic 2025 · matutina"), ("en", "9 Dec 2025 · morning edition")]
)
def test_dates_are_written_in_the_readers_form(language, written):
    with translation.override(language):
        assert formats.dateline("2025-12-09", "MAT") == written


@pytest.mark.parametrize("value", ["", None, "nada", "2026-02-30"])
def test_what_is_no_date_is_left_out(value):
    assert formats.short_date(value) == ""


def test_a_date_is_written_as_a_date():
    assert formats.short_date(date(2026, 4, 24)) == "24 abr 2026"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 40, "menos de 1 minuto"),
        (0, 61, "menos de 2 minutos"),
        (60, 60, "cerca de 1 minuto"),
        (60, 180, "entre 1 y 3 minutos"),
        (75, 150, "entre 1 y 3 minutos"),
    ],
)
def test_a_wait_is_a_range_in_words(low, high, words):
    assert formats.wait_range(low, high) == words


def as_stored(code, **values):
    return said.remark(wording.remark(code, **values))


def test_a_remark_is_said_in_the_readers_language():
    few = as_stored(RemarkCode.FEW_DOCUMENTS, cited=1, required=2)

    assert remark(few) == few["text"]
    with translation.override("en"):
        assert remark(few) == "The answer cites 1 of the 2 different documents asked for."


@pytest.mark.parametrize("broken", [{"code": "of_tomorrow"}, {"values": {}}])
def test_a_remark_that_cannot_be_said_again_stays_as_it_was_recorded(broken):
    few = {**as_stored(RemarkCode.FEW_DOCUMENTS, cited=1, required=2), **broken}

    with translation.override("en"):
        assert remark(few) == few["text"]


def test_what_is_missing_is_said_in_the_readers_language_inside_a_remark():
    missing = (
        wording.requirement(RequirementKind.YEAR, "2025"),
        wording.requirement(RequirementKind.PUBLICATION_DATE, "2025-12-09"),
        wording.requirement(RequirementKind.PUBLICATION_DATE, "2025-12"),
    )
    stored = as_stored(RemarkCode.INCOMPLETE, requirement=missing)

    assert remark(stored) == stored["text"]
    with translation.override("en"):
        said_again = remark(stored)
    assert (
        "a passage that speaks of 2025; a publication of 9 Dec 2025; a publication of December 2025"
        in said_again
    )


def test_a_step_is_said_with_the_reason_in_the_readers_language():
    reason = wording.remark(RemarkCode.NO_CITATIONS)
    message = Saying(Sentence(wording.REVISION, {"reason": reason}))

    assert sentence(message.payload(), "message") == message.payload()["message"]
    with translation.override("en"):
        assert "The answer cites no passage that was read." in sentence(message.payload(), "message")


@pytest.mark.parametrize(
    ("kind", "value", "said_in_english"),
    [
        (RequirementKind.PERIODICITY, "diario", "the daily value"),
        (RequirementKind.PERIODICITY, "semestral", "the half-yearly value"),
        (RequirementKind.RANGE, "entre 16 y 50", "a passage that deals with the case “between 16 and 50”"),
        (RequirementKind.RANGE, "15 o más", "a passage that deals with the case “15 or more”"),
        (RequirementKind.TRANSITORY, "único", "the text of the sole transitory article"),
        (RequirementKind.TRANSITORY, "2", "the text of transitory article 2"),
    ],
)
def test_words_inside_of_a_demand_are_said_in_the_readers_language(kind, value, said_in_english):
    demanded = said.requirement(wording.requirement(kind, value))

    assert requirement(demanded) == demanded["text"]
    with translation.override("en"):
        assert requirement(demanded) == said_in_english


def test_what_is_wrong_with_an_answers_form_is_said_in_the_readers_language():
    faults = (
        wording.remark(FaultCode.MISSING_KEY, key="citations"),
        wording.remark(FaultCode.UNKNOWN_PREMISE, value="verdadera"),
    )
    stored = as_stored(RemarkCode.NOT_JSON, fault=faults)

    assert remark(stored) == stored["text"]
    with translation.override("en"):
        assert remark(stored) == (
            "The answer does not have the form asked for: “citations” is missing; “premise_status” says "
            "“verdadera” and must be “supported”, “false” or “unclear”."
        )


@pytest.mark.parametrize("month", range(1, 13))
def test_a_day_in_a_step_is_written_as_the_reader_writes_it(month):
    message = Saying(Sentence(wording.STARTED, {"as_of": date(2026, month, 9)})).payload()

    assert sentence(message, "message") == message["message"]
    with translation.override("en"):
        assert f"9 {date(2026, month, 9):%b} 2026" in sentence(message, "message")


def test_a_day_that_a_person_searched_for_stays_as_they_wrote_it():
    message = Saying(Sentence(wording.SEARCHED, {"query": "2026-01-09"})).payload()

    with translation.override("en"):
        assert "“2026-01-09”" in sentence(message, "message")


def test_how_a_search_was_done_is_said_in_the_readers_language_after_what_it_did():
    notes = (
        Sentence(wording.CORRECTED, {"typed": "sumnistro", "meant": "suministro"}),
        Sentence(wording.SOME_VECTORS, {"percent": "37.2"}),
    )
    payload = Saying(Sentence(wording.SEARCHED, {"query": "agua"}), None, notes).payload()

    assert sentence(payload, "message") == payload["message"]
    with translation.override("en"):
        assert sentence(payload, "message") == (
            "Searched for documents about “agua”. Also searched “suministro” for “sumnistro”. "
            "Only part of the collection’s passages have vectors (37.2%)"
        )
        payload["say"]["notes"][0]["values"] = {}
        assert sentence(payload, "message") == payload["message"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.05, "menos de 1 s"), (0.95, "menos de 1 s"), (1, "1 s"), (59.6, "1 min 0 s"), (125, "2 min 5 s")],
)
def test_a_span_of_time_is_written_out(seconds, words):
    assert formats.span(seconds) == words
