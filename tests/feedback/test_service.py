"""Giving an opinion: closed vocabularies, ended runs, additions only."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from feedback.models import COMMENT_MAX, Feedback, Rating, ReportedProblem
from feedback.service import InvalidFeedback, NotFinished, give
from runs import lifecycle
from tests.cast import asker, failed_run, finished_run, waiting_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return finished_run(asker(), {"answer": None})


def given(run, rating=Rating.HELPFUL, problems=(), comment="") -> Feedback:
    return give(run, run.evaluator, rating, problems, comment)


def test_an_opinion_is_kept_as_given(run):
    given(run, "partially_helpful", ["other", "bad_citation"], "  Falta una fuente.\r\nOtra línea. ")
    stored = Feedback.objects.get()
    assert (stored.run, stored.evaluator, stored.rating) == (run, run.evaluator, Rating.PARTIALLY_HELPFUL)
    assert stored.comment == "Falta una fuente.\nOtra línea."


def test_problems_are_kept_once_and_in_the_vocabularys_order(run):
    stored = given(run, problems=["other", "bad_citation", "other"])
    stored.refresh_from_db()
    assert stored.problems == [ReportedProblem.BAD_CITATION, ReportedProblem.OTHER]


def test_a_later_opinion_is_added_to_the_earlier(run):
    given(run, Rating.NOT_HELPFUL)
    given(run, Rating.HELPFUL)
    assert [opinion.rating for opinion in run.feedback.all()] == [Rating.HELPFUL, Rating.NOT_HELPFUL]


@pytest.mark.parametrize(
    ("field", "opinion"),
    [
        ("rating", {"rating": ""}),
        ("rating", {"rating": "great"}),
        ("problems", {"problems": ["bad_citation", "too_long"]}),
        ("comment", {"comment": "x" * (COMMENT_MAX + 1)}),
        ("comment", {"comment": "a\0b"}),
        ("comment", {"comment": "a\ud800b"}),
    ],
)
def test_a_wrong_opinion_names_its_field_and_is_not_kept(run, field, opinion):
    with pytest.raises(InvalidFeedback) as refused:
        given(run, **opinion)
    assert refused.value.field == field
    assert refused.value.message
    assert not Feedback.objects.exists()


def test_a_comment_is_measured_without_its_ends_and_with_one_sign_per_line_break(run):
    text = "línea\r\n" * (COMMENT_MAX // 6) + "ab"
    assert len(given(run, comment=f" {text} \n").comment) == COMMENT_MAX


def test_a_run_that_goes_on_has_no_opinions_yet():
    run = waiting_run(asker())
    with pytest.raises(NotFinished):
        given(run)
    lifecycle.claim(run, "w")
    with pytest.raises(NotFinished):
        given(run)
    assert not Feedback.objects.exists()


def test_a_failed_run_can_be_rated():
    assert given(failed_run(asker()), Rating.NOT_HELPFUL).pk


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE feedback_feedback SET rating = 'helpful'",
        "UPDATE feedback_feedback SET comment = ''",
        "DELETE FROM feedback_feedback",
    ],
)
def test_the_database_itself_refuses_to_change_or_delete_an_opinion(run, statement):
    given(run, Rating.NOT_HELPFUL, comment="Falta una fuente.")
    before = list(Feedback.objects.values())
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert list(Feedback.objects.values()) == before
