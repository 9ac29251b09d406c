"""The JSON API for opinions on one's own runs."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Field, Router, Schema, Status
from pydantic import ConfigDict

from dofpilot.access.problems import Problem, ProblemCode
from feedback.models import COMMENT_MAX, Feedback, Rating, ReportedProblem
from feedback.service import InvalidFeedback, NotFinished, give
from runs.api import own_run, signed_in
from runs.public import timestamp

router = Router(tags=["feedback"])


class FeedbackIn(Schema):
    """The vocabularies are named for the reader of the schema; ``give`` checks them, in Spanish."""

    model_config = ConfigDict(extra="forbid")

    rating: str = Field(..., json_schema_extra={"enum": Rating.values})
    problems: list[str] = Field(
        [],
        json_schema_extra={"items": {"type": "string", "enum": ReportedProblem.values}, "uniqueItems": True},
    )
    comment: str = Field("", json_schema_extra={"maxLength": COMMENT_MAX})


@router.post(
    "/runs/{uuid:run_id}/feedback", response={201: dict[str, Any]}, summary="Rate your own ended run"
)
def create(request: HttpRequest, run_id: uuid.UUID, body: FeedbackIn) -> Status[dict[str, Any]]:
    """An opinion is added, never changed: it can be given again. 409 while the run goes on."""
    run = own_run(request, run_id)
    try:
        opinion = give(run, signed_in(request), body.rating, body.problems, body.comment)
    except InvalidFeedback as fault:
        raise Problem(422, ProblemCode.INVALID, fault.message, field=fault.field) from None
    except NotFinished:
        detail = _("La investigación sigue en curso. Podrás opinar cuando termine.")
        raise Problem(409, ProblemCode.NOT_FINISHED, detail) from None
    return Status(201, public_feedback(opinion))


@router.get("/runs/{uuid:run_id}/feedback", response=dict[str, Any], summary="Your opinions on a run")
def own_feedback(request: HttpRequest, run_id: uuid.UUID) -> dict[str, Any]:
    """Newest first."""
    return {"feedback": [public_feedback(opinion) for opinion in own_run(request, run_id).feedback.all()]}


def public_feedback(opinion: Feedback) -> dict[str, Any]:
    """One opinion as the API gives it."""
    return {
        "id": opinion.pk,
        "rating": opinion.rating,
        "problems": opinion.problems,
        "comment": opinion.comment,
        "created_at": timestamp(opinion.created_at),
    }
