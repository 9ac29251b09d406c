"""The API's root: authentication, problem documents and health. Each app brings its own router."""

from __future__ import annotations

import logging
from typing import Any

from django.db import Error, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.security import HttpBearer, SessionAuth

from dofpilot.access import bearer
from dofpilot.access.models import User
from dofpilot.corpus.errors import CorpusUnavailable
from feedback.api import router as feedback_router
from runs.api import router as runs_router
from runs.corpus_access import manifest_summary
from runs.problems import Problem, ProblemCode
from runs.provenance import VERSION
from runs.requests import FAULTS, UNKNOWN

logger = logging.getLogger(__name__)

PROBLEM_TYPE = "application/problem+json"


class Invitation(HttpBearer):
    """``Authorization: Bearer <invitation>``."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        return bearer.authenticate(request, token)


api = NinjaAPI(
    title="dofpilot",
    version="1",
    description="Preguntas al Diario Oficial de la Federación, con cada paso y cada fuente a la vista.",
    docs_url=None,
    auth=[Invitation(), SessionAuth()],
)
api.add_router("", runs_router)
api.add_router("", feedback_router)


@api.get("/health", auth=None, tags=["site"], summary="Whether this process can serve")
def health(request: HttpRequest) -> HttpResponse:
    """503 when the database does not answer; a missing corpus is told, and does not make it fail."""
    database = _database_answers()
    shown = {
        "status": "ok" if database else "unavailable",
        "version": VERSION,
        "database": database,
        "corpus": manifest_summary() is not None,
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


def problem_response(problem: Problem, errors: dict[str, str] | None = None) -> JsonResponse:
    """A problem as RFC 9457 says, with ``code``, ``field`` and, for several fields, ``errors`` beside."""
    shown: dict[str, Any] = {
        "type": "about:blank",
        "title": problem.code.value,
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code.value,
    }
    if problem.field is not None:
        shown["field"] = problem.field
    if errors:
        shown["errors"] = errors
    response = JsonResponse(shown, status=problem.status, content_type=PROBLEM_TYPE)
    if problem.retry_after is not None:
        response["Retry-After"] = str(problem.retry_after)
    return response


@api.exception_handler(Problem)
def on_problem(request: HttpRequest, error: Problem) -> HttpResponse:
    return problem_response(error)


@api.exception_handler(ValidationError)
def on_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """The first field at fault is ``field``; ``errors`` names them all."""
    errors: dict[str, str] = {}
    for fault in error.errors:
        field = str(fault["loc"][-1])
        unknown = fault["type"] == "extra_forbidden"
        errors[field] = _(UNKNOWN) if unknown else _(FAULTS[field]) if field in FAULTS else str(fault["msg"])
    field, detail = next(iter(errors.items()))
    return problem_response(Problem(422, ProblemCode.INVALID, detail, field=field), errors)


@api.exception_handler(AuthenticationError)
def on_unauthenticated(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    detail = _("Entra con tu invitación o envíala como «Authorization: Bearer».")
    response = problem_response(Problem(401, ProblemCode.UNAUTHENTICATED, detail))
    response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(Http404)
def on_not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem_response(Problem(404, ProblemCode.NOT_FOUND, _("Esto no existe o no es tuyo.")))


@api.exception_handler(CorpusUnavailable)
def on_no_corpus(request: HttpRequest, error: CorpusUnavailable) -> HttpResponse:
    logger.warning("%s", error)
    detail = _("El acervo no está disponible en este momento.")
    return problem_response(Problem(503, ProblemCode.CORPUS_UNAVAILABLE, detail, retry_after=60))


@api.exception_handler(HttpError)
def on_http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    """What the framework itself refuses: a body that is no JSON, a write without CSRF token."""
    code = ProblemCode.FORBIDDEN if error.status_code == 403 else ProblemCode.INVALID
    return problem_response(Problem(error.status_code, code, str(error)))


@api.exception_handler(Exception)
def on_fault(request: HttpRequest, error: Exception) -> HttpResponse:
    """A bug: its text stays in the log."""
    logger.error("%s %s", request.method, request.path, exc_info=error)
    detail = _("Falló algo de nuestro lado. Inténtalo de nuevo; si se repite, avisa.")
    return problem_response(Problem(500, ProblemCode.INTERNAL_ERROR, detail))
