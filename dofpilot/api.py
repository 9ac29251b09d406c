"""The API's root: authentication, problem documents and health. Each app brings its own router."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.db import Error, OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.security import HttpBearer, SessionAuth

from dofpilot.access import bearer
from dofpilot.access.models import User
from dofpilot.access.problems import Problem, ProblemCode, problem_response, usual
from dofpilot.corpus.errors import CorpusUnavailable
from feedback import service as feedback_service
from feedback.api import router as feedback_router
from runs import api as runs_api
from runs import closed, requests
from runs.corpus_access import manifest_summary
from runs.provenance import VERSION

logger = logging.getLogger(__name__)

# A sentence for each field that any part of the API accepts.
SENTENCES = {
    **requests.FAULTS,
    **runs_api.FAULTS,
    **feedback_service.FAULTS,
    requests.BODY: requests.NO_OBJECT,
}


class InvitationBearer(HttpBearer):
    """``Authorization: Bearer <invitation>``."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        return bearer.authenticate(request, token)


api = NinjaAPI(
    title="dofpilot",
    version="1",
    description="Preguntas al Diario Oficial de la Federación, con cada paso y cada fuente a la vista.",
    docs_url=None,
    auth=[InvitationBearer(), SessionAuth()],
)
api.add_router("", runs_api.router)
api.add_router("", feedback_router)


@api.get("/health", auth=None, tags=["site"], summary="Whether this process can serve")
def health(request: HttpRequest) -> HttpResponse:
    """503 when the database does not answer; a missing corpus is told, and does not make it fail, nor that
    no new questions are let in (``admission`` is then the problem's code)."""
    database = _database_answers()
    shown = {
        "status": "ok" if database else "unavailable",
        "version": VERSION,
        "database": database,
        "corpus": manifest_summary() is not None,
        "admission": _admission() if database else None,
    }
    return JsonResponse(shown, status=200 if database else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        logger.exception("health: the database does not answer")
        return False
    return True


def _admission() -> str:
    now = closed.closed()
    return now.code.value if now else "open"


@api.exception_handler(Problem)
def on_problem(request: HttpRequest, error: Problem) -> HttpResponse:
    return problem_response(error)


@api.exception_handler(ValidationError)
def on_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """The first field at fault is ``field``; ``errors`` names them all."""
    errors = requests.explain([_as_pydantic_said(fault) for fault in error.errors], SENTENCES)
    field, detail = next(iter(errors.items()))
    return problem_response(Problem(422, ProblemCode.INVALID, detail, field=field), errors)


@api.exception_handler(AuthenticationError)
def on_unauthenticated(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return problem_response(usual(ProblemCode.UNAUTHENTICATED))


@api.exception_handler(Http404)
def on_not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem_response(usual(ProblemCode.NOT_FOUND))


@api.exception_handler(CorpusUnavailable)
def on_no_corpus(request: HttpRequest, error: CorpusUnavailable) -> HttpResponse:
    logger.warning("%s", error)
    detail = _("El acervo no está disponible en este momento.")
    return problem_response(Problem(503, ProblemCode.CORPUS_UNAVAILABLE, detail, retry_after=60))


@api.exception_handler(HttpError)
def on_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    """What the framework itself refuses: a body that is no JSON, a write without CSRF token."""
    if error.status_code == HTTPStatus.FORBIDDEN:
        return problem_response(usual(ProblemCode.FORBIDDEN))
    detail = _(requests.NO_OBJECT)
    return problem_response(Problem(400, ProblemCode.INVALID, detail, field=requests.BODY))


@api.exception_handler(OperationalError)
def on_busy_database(request: HttpRequest, error: OperationalError) -> HttpResponse:
    logger.warning("%s %s: %s", request.method, request.path, error)
    return problem_response(usual(ProblemCode.DATABASE_BUSY))


@api.exception_handler(Exception)
def on_fault(request: HttpRequest, error: Exception) -> HttpResponse:
    """A bug: its text stays in the log."""
    logger.error("%s %s", request.method, request.path, exc_info=error)
    return problem_response(usual(ProblemCode.INTERNAL_ERROR))


def _as_pydantic_said(fault: Mapping[str, Any]) -> dict[str, Any]:
    """The framework puts before each location where it read, and for a body the parameter's name as well."""
    source, *location = fault["loc"]
    return {**fault, "loc": location[1:] if source == requests.BODY else location}
