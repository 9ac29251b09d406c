"""Refusals with a stable code, the same for pages and API, and their documents (RFC 9457)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from django.http import JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

MEDIA_TYPE = "application/problem+json"


class ProblemCode(StrEnum):
    INVALID = "invalid"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    IDEMPOTENCY_CONFLICT = "idempotency_conflict"
    ACTIVE_RUN = "active_run"
    NOT_FINISHED = "not_finished"
    TOO_LARGE = "too_large"
    RATE_LIMITED = "rate_limited"
    QUEUE_FULL = "queue_full"
    ADMISSION_PAUSED = "admission_paused"
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    CORPUS_UNAVAILABLE = "corpus_unavailable"
    DATABASE_BUSY = "database_busy"
    INTERNAL_ERROR = "internal_error"


TITLES = {
    ProblemCode.INVALID: gettext_noop("No se entendió lo enviado"),
    ProblemCode.UNAUTHENTICATED: gettext_noop("Falta una invitación"),
    ProblemCode.FORBIDDEN: gettext_noop("No se puede hacer eso"),
    ProblemCode.NOT_FOUND: gettext_noop("Aquí no hay nada"),
    ProblemCode.METHOD_NOT_ALLOWED: gettext_noop("Método no admitido"),
    ProblemCode.IDEMPOTENCY_CONFLICT: gettext_noop("Identificador ya usado"),
    ProblemCode.ACTIVE_RUN: gettext_noop("Ya hay una investigación en curso"),
    ProblemCode.NOT_FINISHED: gettext_noop("La investigación no ha terminado"),
    ProblemCode.TOO_LARGE: gettext_noop("Lo enviado es demasiado largo"),
    ProblemCode.RATE_LIMITED: gettext_noop("Límite por hora alcanzado"),
    ProblemCode.QUEUE_FULL: gettext_noop("La cola está llena"),
    ProblemCode.ADMISSION_PAUSED: gettext_noop("Las preguntas nuevas están en pausa"),
    ProblemCode.PROVIDER_UNAVAILABLE: gettext_noop("El modelo no responde"),
    ProblemCode.CORPUS_UNAVAILABLE: gettext_noop("El acervo no está disponible"),
    ProblemCode.DATABASE_BUSY: gettext_noop("El sitio está ocupado"),
    ProblemCode.INTERNAL_ERROR: gettext_noop("Falló algo de nuestro lado"),
}
_RETRY_AFTER = {ProblemCode.DATABASE_BUSY: 10}
# Those that look alike wherever they come up: status and sentence.
_USUAL = {
    ProblemCode.INVALID: (
        400,
        gettext_noop("La dirección o el formulario llegaron incompletos o alterados."),
    ),
    ProblemCode.UNAUTHENTICATED: (
        401,
        gettext_noop("Entra con tu invitación o envíala como «Authorization: Bearer»."),
    ),
    ProblemCode.FORBIDDEN: (
        403,
        gettext_noop("Tu sesión no tiene permiso para esta acción, o el formulario venció."),
    ),
    ProblemCode.NOT_FOUND: (404, gettext_noop("Esto no existe o no es tuyo.")),
    ProblemCode.METHOD_NOT_ALLOWED: (405, gettext_noop("Esta dirección no admite ese método.")),
    ProblemCode.TOO_LARGE: (413, gettext_noop("Lo enviado es demasiado largo. No se guardó nada.")),
    ProblemCode.DATABASE_BUSY: (
        503,
        gettext_noop("La base de datos no contestó a tiempo. No se guardó nada."),
    ),
    ProblemCode.INTERNAL_ERROR: (
        500,
        gettext_noop("Falló algo de nuestro lado. Inténtalo de nuevo; si se repite, avisa."),
    ),
}


class Problem(Exception):
    """Something that a person asked for and does not get.

    ``status`` is the HTTP status, ``detail`` a sentence in the reader's language, ``field`` the part of
    the request at fault, ``retry_after`` seconds until it is worth trying again.
    """

    def __init__(
        self, status: int, code: str, detail: str, field: str | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = ProblemCode(code)
        self.detail = detail
        self.field = field
        self.retry_after = retry_after


def usual(code: ProblemCode) -> Problem:
    """The problem that is the same wherever it comes up. Raises ``KeyError`` for the others."""
    status, detail = _USUAL[code]
    return Problem(status, code, _(detail), retry_after=_RETRY_AFTER.get(code))


def problem_response(problem: Problem, errors: Mapping[str, str] | None = None) -> JsonResponse:
    """A problem as RFC 9457 says, with ``code``, ``field`` and, for several fields, ``errors`` beside."""
    shown: dict[str, Any] = {
        "type": "about:blank",
        "title": _(TITLES[problem.code]),
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code.value,
    }
    if problem.field is not None:
        shown["field"] = problem.field
    if errors:
        shown["errors"] = errors
    response = JsonResponse(
        shown, status=problem.status, content_type=MEDIA_TYPE, headers=retry_header(problem)
    )
    if problem.code is ProblemCode.UNAUTHENTICATED:
        response["WWW-Authenticate"] = "Bearer"
    return response


def retry_header(problem: Problem) -> dict[str, str]:
    return {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
