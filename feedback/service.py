"""The one writer of feedback."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dofpilot.access.models import User
from feedback.models import COMMENT_MAX, Feedback, Rating, ReportedProblem
from runs.models import TERMINAL, Run
from runs.requests import is_storable

RATING_WANTED = gettext_noop("Elige una de las tres valoraciones.")
PROBLEMS_KNOWN = gettext_noop("Elige solo problemas de la lista.")
COMMENT_WANTED = gettext_noop("El comentario es un texto de hasta 2,000 caracteres.")
COMMENT_UNSTORABLE = gettext_noop("El comentario tiene caracteres que no se pueden guardar.")
FAULTS = {"rating": RATING_WANTED, "problems": PROBLEMS_KNOWN, "comment": COMMENT_WANTED}


class InvalidFeedback(ValueError):
    """``field`` is ``rating``, ``problems`` or ``comment``; ``message`` is in the reader's language."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


class NotFinished(Exception):
    """The run has neither answer nor failure yet: there is nothing to have an opinion on."""


def give(run: Run, evaluator: User, rating: str, problems: Iterable[str], comment: str) -> Feedback:
    """Add one opinion. The caller has checked that the run is the evaluator's own.

    ``rating`` and ``problems`` are values of ``Rating`` and ``ReportedProblem``; ``comment`` has at most
    ``COMMENT_MAX`` characters once its ends are trimmed. Raises ``InvalidFeedback``, ``NotFinished``.
    """
    opinion = Feedback(
        run=run,
        evaluator=evaluator,
        rating=_known_rating(rating),
        problems=_known_problems(problems),
        comment=_clean_comment(comment),
    )
    if not run.transitions.filter(state__in=TERMINAL).exists():
        raise NotFinished(run.pk)
    opinion.save(force_insert=True)
    return opinion


def _known_rating(rating: str) -> Rating:
    try:
        return Rating(rating)
    except ValueError:
        raise InvalidFeedback("rating", _(RATING_WANTED)) from None


def _known_problems(problems: Iterable[str]) -> list[ReportedProblem]:
    """Each once, in the vocabulary's order, so that equal opinions are stored alike."""
    given = set(problems)
    if given - set(ReportedProblem.values):
        raise InvalidFeedback("problems", _(PROBLEMS_KNOWN))
    return [problem for problem in ReportedProblem if problem in given]


def _clean_comment(comment: str) -> str:
    # A browser counts a line break as one character and sends two.
    text = comment.replace("\r\n", "\n").strip()
    if len(text) > COMMENT_MAX:
        message = _("El comentario tiene %(length)d caracteres y caben %(limit)d.")
        raise InvalidFeedback("comment", message % {"length": len(text), "limit": COMMENT_MAX})
    if not is_storable(text):
        raise InvalidFeedback("comment", _(COMMENT_UNSTORABLE))
    return text
