"""An answer whose figures no cited passage says, where the runner is to ask about them."""

from dofpilot.agent.conversation import Draft
from dofpilot.agent.events import EventKind
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import FigureStatus, StopReason
from dofpilot.agent.providers.scripted import answer
from tests.agent.asking import CHUNK, ask, good_answer, read, search

ASKING = Limits(revise_figures=True)
INVENTED = answer(f"Son 999.99 pesos diarios [{CHUNK}].", [CHUNK])


def revisions(asked):
    return asked.log.of(EventKind.ANSWER_REVISION_REQUESTED)


def test_figures_are_no_reason_for_a_revision_by_default():
    asked = ask([search(), read(CHUNK), INVENTED])
    assert revisions(asked) == []
    assert asked.outcome.stop_reason is StopReason.ANSWERED
    assert asked.outcome.verification.figures[0].status is FigureStatus.NOT_FOUND


def test_a_figure_that_was_not_found_is_asked_about():
    asked = ask([search(), read(CHUNK), INVENTED, good_answer()], limits=ASKING)
    (revision,) = revisions(asked)
    assert [reason["code"] for reason in revision["reasons"]] == ["figures_not_found"]
    assert "999.99" in revision["reasons"][0]["text"]
    assert asked.provider.turns[-1].messages[-1].reasons == (revision["reasons"][0]["text"],)
    assert asked.outcome.answer.text.startswith("En 2026 es de 315.04")


def test_it_is_asked_about_only_once():
    asked = ask([search(), read(CHUNK), INVENTED, INVENTED], limits=ASKING)
    assert len(revisions(asked)) == 1
    assert asked.outcome.stop_reason is StopReason.ANSWERED
    assert "999.99" in asked.outcome.answer.text


def test_figures_that_were_found_are_not_asked_about():
    asked = ask([search(), read(CHUNK), good_answer()], limits=ASKING)
    assert revisions(asked) == []


def test_it_is_not_asked_about_on_the_last_turn():
    asked = ask([search(), read(CHUNK), INVENTED], limits=Limits(turns=3, revise_figures=True))
    assert revisions(asked) == []
    assert asked.outcome.stop_reason is StopReason.ANSWERED


def test_what_else_is_wrong_is_asked_about_first():
    uncited = answer("Son 999.99 pesos diarios.", [])
    asked = ask([search(), read(CHUNK), uncited, INVENTED, good_answer()], limits=ASKING)
    assert [[reason["code"] for reason in revision["reasons"]] for revision in revisions(asked)] == [
        ["no_citations"],
        ["figures_not_found"],
    ]


def test_the_answer_stands_when_nothing_better_comes():
    asked = ask([search(), read(CHUNK), INVENTED, Draft("")], limits=Limits(turns=4, revise_figures=True))
    assert asked.outcome.stop_reason is StopReason.ANSWERED
    assert "999.99" in asked.outcome.answer.text
    assert asked.outcome.warnings == ()
