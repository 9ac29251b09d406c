"""Bodies of pages and API stop at 16 KiB, with or without a declared length."""

from __future__ import annotations

import io

import pytest
from django.core.handlers.asgi import ASGIRequest
from django.test import RequestFactory

from dofpilot.access.middleware import BodyLimitMiddleware
from tests.cast import manager

LIMIT = 16 * 1024
PASSED = object()


def answer_to(request):
    return BodyLimitMiddleware(lambda request: PASSED)(request)


def sent(path: str, size: int):
    return RequestFactory().post(path, b"x" * size, content_type="application/octet-stream")


def chunked(path: str, body: bytes) -> ASGIRequest:
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "headers": [
            (b"transfer-encoding", b"chunked"),
            (b"content-type", b"application/x-www-form-urlencoded"),
        ],
    }
    return ASGIRequest(scope, io.BytesIO(body))


@pytest.mark.parametrize("path", ["/", "/login", "/runs/x/feedback", "/api/v1/runs"])
def test_a_body_at_the_limit_passes_and_one_byte_more_does_not(path):
    assert answer_to(sent(path, LIMIT)) is PASSED
    assert answer_to(sent(path, LIMIT + 1)).status_code == 413


@pytest.mark.parametrize("path", ["/", "/api/v1/runs"])
@pytest.mark.parametrize("size", [LIMIT + 1, 2 * 1024 * 1024])
def test_a_chunked_body_over_the_limit_is_refused(path, size):
    assert answer_to(chunked(path, b"x" * size)).status_code == 413


def test_a_short_chunked_body_is_still_there_for_the_view():
    request = chunked("/", b"question=hola")
    assert answer_to(request) is PASSED
    assert request.POST["question"] == "hola"


@pytest.mark.parametrize("length", ["-1", "1e3", "12, 99999"])
def test_a_length_that_is_no_number_is_refused(length):
    request = sent("/", 1)
    request.META["CONTENT_LENGTH"] = length
    assert answer_to(request).status_code == 413


def test_the_admin_takes_longer_forms():
    assert answer_to(sent("/admin/access/user/add/", LIMIT + 1)) is PASSED


def test_the_api_gets_a_problem_document_and_a_page_a_page(client, db):
    body = {"data": b"x" * (LIMIT + 1), "content_type": "application/json"}
    problem = client.post("/api/v1/runs", **body)
    assert problem["Content-Type"] == "application/problem+json"
    told = {"status": 413, "code": "too_large", "title": "Lo enviado es demasiado largo"}
    assert told.items() <= problem.json().items()
    page = client.post("/", **body)
    assert (page.status_code, page["Content-Type"]) == (413, "text/html; charset=utf-8")


def test_a_refusal_speaks_the_readers_language(client, db):
    english = {"Accept-Language": "en"}
    page = client.post("/", b"x" * (LIMIT + 1), content_type="text/plain", headers=english)
    assert '<html lang="en">' in page.content.decode()


def test_a_long_form_reaches_the_admin(client, db):
    client.force_login(manager())
    response = client.post("/admin/access/invitation/add/", {"label": "x" * (LIMIT + 1)})
    assert response.status_code == 200
    assert "label" in response.context["adminform"].form.errors
