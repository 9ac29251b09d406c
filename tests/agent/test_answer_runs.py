"""Final answers as a whole run shows them: what is displayed, what is rejected, and what is sent back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dofpilot.agent.conversation import Draft
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import MARKER, StopReason
from dofpilot.agent.providers.scripted import answer
from dofpilot.agent.render.public import public_result
from tests.agent.asking import CHUNK, ask, good_answer, read, search
from tests.agent.fake_corpus import LATER, WAGES_2025

FOUND = WAGES_2025.chunk_id(0)
ANOTHER = LATER.chunk_id(0)
TEXT = f"En 2026 es de 315.04 pesos diarios [{CHUNK}]."


def shown(*drafts: Draft, **more):
    asked = ask([search(), read(CHUNK), *drafts], **more)
    return asked, public_result(asked.outcome)


def draft(text: str, citations: list[object]) -> Draft:
    return Draft(json.dumps({"answer": text, "citations": citations, "premise_status": "supported"}))


@pytest.mark.parametrize(
    ("citation", "told", "reason"),
    [
        (FOUND, str(FOUND), "not_read"),
        (ANOTHER, str(ANOTHER), "unknown"),
        (0, "0", "invalid"),
        (-1, "-1", "invalid"),
        (str(FOUND), str(FOUND), "invalid"),
        ("12", "12", "invalid"),
        (float(CHUNK), f"{CHUNK}.0", "invalid"),
        (True, "True", "invalid"),
        (None, "None", "invalid"),
        (10**25, str(10**25), "unknown"),
        (CHUNK, str(CHUNK), "repeated"),
    ],
)
def test_a_citation_that_does_not_count_is_reported_with_its_reason_and_not_displayed(citation, told, reason):
    asked, result = shown(draft(TEXT, [CHUNK, citation]))
    assert asked.outcome.stop_reason is StopReason.ANSWERED
    assert result["answer"]["citations"] == [CHUNK]
    assert result["answer"]["rejected_citations"] == [{"id": told, "reason": reason}]
    assert result["answer"]["text"] == TEXT


@pytest.mark.parametrize(
    "marker",
    [
        f"[{FOUND}]",
        f"[{FOUND}-{FOUND + 1}]",
        f"[^{FOUND}]",
        f"【{FOUND}】",
        f"[{FOUND}](https://example.org/{FOUND})",
        f"[\u202e{FOUND}\u202c]",
        f"[[{FOUND}]]",
        f"[[{ANOTHER}]{FOUND}]",
        "[0]",
        "[-1]",
        "［１２］",
        f"[{CHUNK}.0]",
    ],
)
def test_a_marker_of_what_was_not_read_is_rejected_and_not_displayed(marker):
    _, result = shown(draft(f"{TEXT} Antes, otro {marker}.", [CHUNK]))
    assert {int(number) for number in MARKER.findall(result["answer"]["text"])} == {CHUNK}
    assert str(FOUND) not in result["answer"]["text"]
    assert result["answer"]["citations"] == [CHUNK]
    assert result["answer"]["rejected_citations"]
    assert "dropped_citations" in [warning["code"] for warning in result["warnings"]]


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{good_answer().text}\n```",
        f"Aquí está:\n\n{good_answer().text}\n\nSaludos.",
        f'{{"thought": "cite [1]"}} {good_answer().text}',
        f'{good_answer().text} {{"answer": "Otra.", "citations": [1], "premise_status": "false"}}',
    ],
)
def test_the_first_object_that_fits_ends_the_run(reply):
    asked, result = shown(Draft(reply))
    assert asked.outcome.stop_reason is StopReason.ANSWERED
    assert (result["answer"]["text"], result["warnings"]) == (TEXT, [])


def test_markdown_leaves_the_answer_and_figures_stay_where_they_are():
    written = (
        f"## Salario mínimo\n\n- **Diario**: *315.04* pesos [{CHUNK}].\n- **Otro**: __999__ [**{FOUND}**]."
    )
    asked, result = shown(answer(written, [CHUNK]))
    text = f"Salario mínimo\n\n- Diario: 315.04 pesos [{CHUNK}].\n- Otro: 999."
    assert result["answer"]["text"] == text
    assert asked.outcome.answer.rejected_citations
    figures = result["verification"]["figures"]
    assert [text[figure["start"] : figure["end"]] for figure in figures] == ["315.04 pesos", "999"]
    assert [figure["text"] for figure in figures] == ["315.04 pesos", "999"]


def test_a_fence_inside_the_text_is_displayed():
    text = f"{TEXT}\n```\n| 2026 | 315.04 |\n```"
    assert shown(draft(text, [CHUNK]))[1]["answer"]["text"] == text


def test_a_trailing_comma_is_sent_back_and_its_answer_kept():
    comma = Draft(good_answer().text.replace("}", ",}"))
    asked, _ = shown(comma, good_answer())
    (revision,) = asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    assert revision["reasons"][0]["code"] == "not_json"
    assert shown(comma, limits=Limits(turns=3))[1]["answer"]["text"] == TEXT


def test_an_answer_that_was_cut_is_kept_as_such_when_no_turn_is_left():
    cut = Draft(good_answer().text[:70] + f" [{FOUND}", truncated=True)
    asked, result = shown(cut, limits=Limits(turns=3))
    assert asked.outcome.stop_reason is StopReason.TURN_LIMIT
    assert "cut" in [warning["code"] for warning in result["warnings"]]
    assert str(FOUND) not in result["answer"]["text"]


def test_a_whole_object_that_came_with_a_cut_is_sent_back_too():
    asked, _ = shown(replace(good_answer(), truncated=True), good_answer())
    (revision,) = asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    assert [reason["code"] for reason in revision["reasons"]] == ["cut"]


def test_what_was_rejected_is_told_to_the_model_when_an_answer_goes_back_for_another_reason():
    asked, _ = shown(draft("Es 315.04.", [FOUND, "12"]), good_answer())
    (revision,) = asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    said = {reason["code"]: reason["text"] for reason in revision["reasons"]}
    assert str(FOUND) in said["unread_citations"]
    assert "12" in said["invalid_citations"]


def test_figures_are_looked_up_in_the_displayed_text():
    _, result = shown(answer(f"Es de \u202e315.04\u202c pesos 【{CHUNK}】, no de 999.", [CHUNK]))
    figures = [(figure["text"], figure["status"]) for figure in result["verification"]["figures"]]
    assert figures == [("315.04 pesos", "found"), ("999", "not_found")]
    for figure in result["verification"]["figures"]:
        assert result["answer"]["text"][figure["start"] : figure["end"]] == figure["text"]
