"""An answer has a length: what goes beyond it is neither judged nor shown, and counts as cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dofpilot.agent.answer import ANSWER_LENGTH, parse, resolve
from dofpilot.agent.conversation import Draft
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import RemarkCode, StopReason
from dofpilot.agent.providers.scripted import answer
from tests.agent.asking import CHUNK, ask, good_answer, read, search

READ = frozenset(range(1, 50))
TOO_LONG = answer(f"Son 315.04 pesos [{CHUNK}]. " + "1, " * ANSWER_LENGTH, [CHUNK])


def written(text: str, **more: Any) -> str:
    return json.dumps({"answer": text, "citations": [7], "premise_status": "supported", **more})


def resolved(text: str):
    return resolve(parse(written(text)), READ, READ.__contains__)


def test_an_answer_of_the_longest_length_is_whole():
    text = "Son doce pesos. ".ljust(ANSWER_LENGTH, "a")
    found = resolved(f"  {text}\n")
    assert (found.answer.text, found.cut) == (text, False)


def test_a_longer_one_is_cut_and_says_so():
    found = resolved("a" * (ANSWER_LENGTH + 1))
    assert (found.answer.text, found.cut) == ("a" * ANSWER_LENGTH, True)


def test_no_marker_is_cut_in_two():
    found = resolved("a" * (ANSWER_LENGTH - 4) + " [7, 8].")
    assert found.answer.text == "a" * (ANSWER_LENGTH - 4)
    assert found.answer.citations == (7,)


def test_markers_that_become_many_are_bounded_too():
    found = resolved("a[1-49]" * (ANSWER_LENGTH // 10))
    assert len(found.answer.text) <= ANSWER_LENGTH
    assert found.answer.text.endswith("]")
    assert found.cut


@pytest.mark.parametrize("text", ["x" * 3 * ANSWER_LENGTH, '{"answer": "' + "x" * 3 * ANSWER_LENGTH])
def test_text_that_is_no_object_is_bounded_too(text: str):
    found = resolve(parse(text), READ, READ.__contains__)
    assert (len(found.answer.text), found.cut) == (ANSWER_LENGTH, True)


def test_what_stands_far_behind_the_longest_answer_is_not_looked_at():
    assert not parse(" " * 2 * ANSWER_LENGTH + written("Son doce [7].")).faults
    assert parse(" " * 10 * ANSWER_LENGTH + written("Son doce [7].")).text == ""


def test_blanks_before_a_marker_that_was_cut_go_with_it():
    assert parse('{"answer": "Son doce' + " " * 50 + "[12").text == "Son doce"


def test_blanks_before_a_closing_fence_go_with_it():
    assert parse("```\nSon doce" + " \n" * 50 + "```").text == "Son doce"


def test_rejections_are_counted_only_up_to_those_that_are_shown():
    found = resolve(parse(written("Uno [100-150] dos [151-200] tres [7]")), READ, READ.__contains__)
    assert [rejection.id for rejection in found.answer.rejected_citations] == [
        str(n) for n in range(100, 120)
    ]
    assert found.answer.text == "Uno dos tres [7]"


@pytest.mark.parametrize("draft", [TOO_LONG, Draft("Son 315.04 pesos. " * ANSWER_LENGTH)])
def test_a_draft_that_is_too_long_is_sent_back_as_cut(draft: Draft):
    asked = ask([search(), read(CHUNK), draft, good_answer()])
    (revision,) = asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)
    codes = [reason["code"] for reason in revision["reasons"]]
    assert codes[0] == RemarkCode.CUT
    assert RemarkCode.NOT_JSON not in codes
    assert asked.outcome.stop_reason is StopReason.ANSWERED
    assert asked.outcome.answer.text.startswith("En 2026 es de 315.04")


def test_at_a_limit_it_is_kept_short_and_labelled():
    outcome = ask([search(), read(CHUNK), TOO_LONG], limits=Limits(turns=3)).outcome
    assert outcome.stop_reason is StopReason.TURN_LIMIT
    assert len(outcome.answer.text) <= ANSWER_LENGTH
    assert RemarkCode.CUT in [warning.code for warning in outcome.warnings]
