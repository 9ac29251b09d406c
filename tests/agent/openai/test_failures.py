"""Which public code a failure gets, and whether the server is asked again."""

from __future__ import annotations

from typing import Any

import pytest

from dofpilot.agent.conversation import Draft
from dofpilot.agent.errors import FailureCode
from tests.agent.openai.talking import (
    AT_ONCE,
    CHAT,
    RESPONSES,
    Make,
    body_of,
    failure,
    respond,
    said,
)
from tests.agent.openai_server import Answer, OpenAIServer, completion, message, response

UNAVAILABLE, LIMITED = FailureCode.PROVIDER_UNAVAILABLE, FailureCode.RATE_LIMITED
REFUSED = FailureCode.PROVIDER_REFUSED
STATUS = {
    400: REFUSED, 401: REFUSED, 402: REFUSED, 403: REFUSED, 404: REFUSED, 413: REFUSED, 422: REFUSED,
    408: UNAVAILABLE, 409: UNAVAILABLE, 425: UNAVAILABLE, 429: LIMITED,
    500: UNAVAILABLE, 502: UNAVAILABLE, 503: UNAVAILABLE, 504: UNAVAILABLE, 529: UNAVAILABLE,
}  # fmt: skip


@pytest.mark.parametrize(("status", "code"), STATUS.items())
@pytest.mark.parametrize("body", [{"error": {"message": "no"}}, "<html>no</html>", ""])
def test_a_failure_is_named_by_its_status(
    server: OpenAIServer, make: Make, status: int, code: FailureCode, body: Any
) -> None:
    server.play(Answer(body, status))
    error = failure(make, server)
    assert error.code is code
    assert str(status) in str(error)


@pytest.mark.parametrize(("status", "code"), STATUS.items())
def test_only_a_failure_that_may_pass_is_tried_again(
    server: OpenAIServer, make: Make, status: int, code: FailureCode
) -> None:
    received = server.play(Answer({}, status, AT_ONCE), Answer({}, status, AT_ONCE), said(make, "Listo."))
    if code is REFUSED:
        failure(make, server, max_retries=2)
        assert len(received) == 1
    else:
        assert respond(make, server, max_retries=2).content == Draft("Listo.")
        assert len(received) == 3


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"message": "caído", "code": 502}}, UNAVAILABLE),
        ({"error": {"message": "despacio", "code": 429}}, LIMITED),
        ({"error": {"message": "despacio", "code": "429"}}, LIMITED),
        ({"error": {"message": "despacio", "type": "rate_limit_error"}}, LIMITED),
        ({"error": {"message": "no", "code": "content_filter"}}, REFUSED),
        ({"error": {"message": "no", "type": "invalid_request_error", "code": None}}, REFUSED),
        ({"error": {"message": "sin saldo", "code": 402}}, REFUSED),
        ({"error": "algo pasó"}, UNAVAILABLE),
        ({"error": True}, UNAVAILABLE),
        ({"errors": [{"message": "algo pasó"}]}, UNAVAILABLE),
        ({"object": "error", "message": "modelo ausente", "type": "NotFoundError", "code": 404}, REFUSED),
        ({"object": "error", "message": "algo pasó", "code": 50001}, UNAVAILABLE),
        ({"detail": "algo pasó"}, UNAVAILABLE),
        ({"detail": [{"loc": ["body", "tools"], "msg": "algo pasó"}]}, UNAVAILABLE),
        ({"code": 400, "message": "mal pedido"}, REFUSED),
        ({"status_code": 503, "msg": "algo pasó"}, UNAVAILABLE),
    ],
)
def test_an_error_body_under_status_200_is_a_failure(
    server: OpenAIServer, make: Make, body: Any, code: FailureCode
) -> None:
    server.play(Answer(body))
    error = failure(make, server)
    assert error.code is code
    assert error.calls[0].reply == body


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"error": {"message": "despacio", "code": 429}}, LIMITED),
        ({"error": "caído"}, UNAVAILABLE),
        ({"errors": [{"message": "caído"}]}, UNAVAILABLE),
        ({"object": "error", "message": "caído"}, UNAVAILABLE),
    ],
)
def test_an_error_beside_an_answer_is_a_failure(
    server: OpenAIServer, make: Make, error: Any, code: FailureCode
) -> None:
    server.play(Answer({**body_of(said(make, "Sí.")), **error}))
    assert failure(make, server).code is code


@pytest.mark.parametrize("error", [None, "", {}, {"code": 0, "message": ""}, False])
def test_an_error_that_says_nothing_is_none(server: OpenAIServer, make: Make, error: Any) -> None:
    server.play(Answer({**body_of(said(make, "Sí.")), "error": error}))
    assert respond(make, server).content == Draft("Sí.")


def test_an_error_inside_of_a_choice_is_a_failure(server: OpenAIServer) -> None:
    choice = {"error": {"code": 429, "message": "despacio"}, "finish_reason": "error", "message": {}}
    server.play(completion({}, choices=[choice]))
    assert failure(CHAT, server).code is LIMITED


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"code": "server_error", "message": "caído"}, UNAVAILABLE),
        ({"code": "rate_limit_exceeded", "message": "despacio"}, LIMITED),
        ({"code": "invalid_prompt", "message": "no"}, REFUSED),
        (None, UNAVAILABLE),
    ],
)
def test_a_response_that_failed_is_a_failure(server: OpenAIServer, error: Any, code: FailureCode) -> None:
    server.play(response(message("A medias."), status="failed", error=error))
    assert failure(RESPONSES, server).code is code


EXHAUSTED = [
    (429, {"error": {"message": "sin saldo", "code": "insufficient_quota"}}),
    (429, {"error": {"message": "sin saldo", "type": "insufficient_quota", "code": None}}),
    (429, {"error": {"message": "sin saldo", "code": "billing_hard_limit_reached"}}),
    (400, {"error": {"message": "sin saldo", "code": "billing_hard_limit_reached"}}),
    (429, {"error": {"message": "suspendida", "type": "exceeded_current_quota_error"}}),
    (429, {"error": {"message": "presupuesto", "type": "budget_exceeded", "code": "429"}}),
    (429, {"error": {"message": "余额不足或无可用资源包,请充值。", "code": "1113"}}),
    (402, {"error": {"message": "Insufficient Balance", "type": "unknown_error"}}),
    (402, ""),
    (403, {"error": {"message": "user quota is not enough", "code": "insufficient_user_quota"}}),
    (403, {"error": {"message": "Your account has insufficient balance."}}),
    (400, {"error": {"message": "Your credit balance is too low to access the API.", "type": "x"}}),
    (429, {"code": "x", "error": "Your team has used all available credits or reached its spending limit."}),
    (429, {"error": {"message": "Quota exceeded, please check your plan and billing details."}}),
    (200, {"error": {"message": "This request requires more credits", "code": 402}}),
    (200, {"error": {"message": "sin saldo", "code": "insufficient_quota"}}),
    (200, {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}),
]  # fmt: skip
PASSING = [
    (429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}),
    (429, {"error": {"message": "Too Many Requests", "type": "requests", "code": None}}),
    (429, {"error": {"message": "overloaded", "type": "engine_overloaded_error"}}),
    (429, {"error": {"message": "Requests rate limit exceeded", "type": "invalid_request_error"}}),
    (429, {"error": {"message": "Quota exceeded for quota metric", "status": "RESOURCE_EXHAUSTED"}}),
    (429, {"error": {"message": "Please check your plan and billing details. Please retry in 34.07s."}}),
    (429, {"error": {"message": "Limit 3 requests per minute; check your plan and billing details."}}),
    (429, "slow down"),
    (429, ""),
    (200, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}),
]


@pytest.mark.parametrize(("status", "body"), EXHAUSTED)
def test_an_exhausted_quota_is_refused_at_once_and_the_log_says_so(
    server: OpenAIServer, make: Make, status: int, body: Any
) -> None:
    received = server.play(Answer(body, status))
    error = failure(make, server, max_retries=5)
    assert error.code is REFUSED
    assert str(error).startswith("quota exhausted: ")
    assert len(received) == 1


@pytest.mark.parametrize(("status", "body"), PASSING)
def test_a_passing_limit_is_tried_again_and_the_log_says_so(
    server: OpenAIServer, make: Make, status: int, body: Any, quick: None
) -> None:
    received = server.play(Answer(body, status))
    error = failure(make, server, max_retries=2)
    assert error.code is LIMITED
    assert str(error).startswith("rate limited: ")
    assert len(received) == 3


def test_words_of_money_do_not_outweigh_that_the_server_wants_to_be_asked_again(
    server: OpenAIServer, make: Make
) -> None:
    body = {"error": {"message": "You exceeded your quota, check your plan and billing details."}}
    received = server.play(Answer(body, 429, AT_ONCE))
    assert failure(make, server, max_retries=1).code is LIMITED
    assert len(received) == 2
