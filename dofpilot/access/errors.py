"""What is answered where no view is asked: a problem document under ``/api/``, a page elsewhere."""

from __future__ import annotations

import sys

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.deprecation import MiddlewareMixin

from dofpilot.access.problems import ProblemCode, problem_response, retry_header, usual

API = "/api/"


def refuse(request: HttpRequest, code: ProblemCode) -> HttpResponse:
    """The usual problem of this code; its page is the template named for its status."""
    problem = usual(code)
    if is_api(request):
        return problem_response(problem)
    return render(request, f"{problem.status}.html", status=problem.status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refuse(request, ProblemCode.INVALID)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refuse(request, ProblemCode.FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return refuse(request, ProblemCode.NOT_FOUND)


def server_error(request: HttpRequest) -> HttpResponse:
    """A bug, or a database that does not answer: the one thing that passes by itself."""
    busy = isinstance(sys.exception(), OperationalError)
    problem = usual(ProblemCode.DATABASE_BUSY if busy else ProblemCode.INTERNAL_ERROR)
    if is_api(request):
        return problem_response(problem)
    # Without the request: whatever broke may break its context processors again.
    page = render_to_string(f"{problem.status}.html")
    return HttpResponse(page, status=problem.status, headers=retry_header(problem))


class ApiMethodMiddleware(MiddlewareMixin):
    """Django has no handler for 405, and the API's framework answers it with a bare text."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not isinstance(response, HttpResponseNotAllowed) or not is_api(request):
            return response
        told = problem_response(usual(ProblemCode.METHOD_NOT_ALLOWED))
        told["Allow"] = response["Allow"]
        return told


def is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(API)
