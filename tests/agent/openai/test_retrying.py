"""When a server is asked again, how long is waited for it, and what ends the waiting."""

from __future__ import annotations

import contextlib
import gzip
import logging
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from dofpilot.agent.conversation import Draft
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.providers import openai_client
from dofpilot.agent.providers.openai_wire import Wire
from tests.agent.openai.talking import AT_ONCE, Make, connection, failure, respond, said, turn
from tests.agent.openai_server import Answer, OpenAIServer

UNAVAILABLE, LIMITED = FailureCode.PROVIDER_UNAVAILABLE, FailureCode.RATE_LIMITED
DEADLINE = FailureCode.DEADLINE_EXCEEDED


def test_a_retry_is_logged_with_its_reason(
    server: OpenAIServer, make: Make, caplog: pytest.LogCaptureFixture, quick: None
) -> None:
    server.play(Answer({"error": {"message": "despacio"}}, 429), said(make, "Listo."))
    with caplog.at_level(logging.INFO, logger="dofpilot.agent"):
        respond(make, server, max_retries=1)
    assert [record.message for record in caplog.records] == [
        "rate limited: HTTP 429 despacio; once more in 0.0 s"
    ]


def test_doing_without_a_part_is_no_attempt(server: OpenAIServer, make: Make) -> None:
    refusal = Answer({"error": {"message": "No.", "param": "parallel_tool_calls"}}, 400)
    received = server.play(refusal, Answer({}, 503, AT_ONCE), said(make, "Listo."))
    assert make(connection(server, max_retries=1)).respond(turn()).content == Draft("Listo.")
    assert len(received) == 3


def test_it_tries_no_more_often_than_told(server: OpenAIServer, make: Make) -> None:
    received = server.play(Answer({}, 500, AT_ONCE))
    assert failure(make, server, max_retries=1).code is UNAVAILABLE
    assert len(received) == 2


def test_a_server_may_say_that_asking_again_is_of_no_use(server: OpenAIServer, make: Make) -> None:
    received = server.play(Answer({}, 503, {**AT_ONCE, "x-should-retry": "false"}))
    assert failure(make, server, max_retries=5).code is UNAVAILABLE
    assert len(received) == 1


def pauses(server: OpenAIServer, retries: int, *answers: Answer, seconds: float = 60) -> list[float]:
    """What is waited between attempts, without waiting; an answer at last is not needed."""
    waited: list[float] = []
    wire = Wire(connection(server, max_retries=retries), waited.append)

    def send(client: Any, left: float) -> Any:
        return client.chat.completions.with_raw_response.create(model="m", messages=[], timeout=left)

    server.play(*answers)
    with contextlib.suppress(AgentFailure):
        wire.exchange(send, lambda body: body, lambda fault: False, seconds)
    return waited


def test_it_backs_off_longer_each_time_and_never_twice_alike(server: OpenAIServer) -> None:
    first, second = (pauses(server, 6, Answer({}, 503)) for _ in range(2))
    for place, (one, other) in enumerate(zip(first, second, strict=True)):
        longest = min(0.5 * 2**place, 8)
        assert longest / 2 <= one <= longest
        assert longest / 2 <= other <= longest
    assert len(first) == 6
    assert first != second


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "3"}, 3),
        ({"Retry-After": "0.25"}, 0.25),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": "-5"}, 0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
        ({"retry-after-ms": "pronto", "Retry-After": "9"}, 9),
        ({"Retry-After": "Thu, 01 Jan 2015 00:00:00 GMT"}, 0),
    ],
)
def test_it_waits_as_long_as_it_is_asked_to(
    server: OpenAIServer, headers: dict[str, str], seconds: float
) -> None:
    assert pauses(server, 1, Answer({}, 429, headers)) == [seconds]


def test_it_waits_until_the_date_that_it_is_told(server: OpenAIServer) -> None:
    moment = datetime.now(UTC) + timedelta(seconds=20)
    for written in (format_datetime(moment, usegmt=True), format_datetime(moment.replace(tzinfo=None))):
        (pause,) = pauses(server, 1, Answer({}, 503, {"Retry-After": written}))
        assert 18 < pause < 20.5


@pytest.mark.parametrize(
    "written",
    [
        "pronto",
        "",
        "nan",
        "inf",
        "Thu, 99 Foo 2026",
        "1e999",
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2026 00:00:00 +99999999999999999999",
        f"Mon, {'1' * 5000} Jan 2026 00:00:00 GMT",
    ],
)
def test_a_wait_that_nobody_understands_is_a_usual_one(server: OpenAIServer, written: str) -> None:
    (pause,) = pauses(server, 1, Answer({}, 429, {"Retry-After": written}))
    assert 0.25 <= pause <= 0.5


@pytest.mark.parametrize(("status", "code"), [(429, LIMITED), (503, UNAVAILABLE)])
def test_it_does_not_wait_beyond_the_turns_time(
    server: OpenAIServer, make: Make, status: int, code: FailureCode
) -> None:
    received = server.play(Answer({}, status, {"Retry-After": "3600"}))
    assert failure(make, server, max_retries=5).code is code
    assert len(received) == 1


def test_a_server_that_hangs_until_the_turns_time_is_over_is_a_deadline(
    server: OpenAIServer, make: Make
) -> None:
    received = server.play(Answer({}, hang=True))
    error = failure(make, server, turn(seconds=0.2), max_retries=5)
    assert error.code is DEADLINE
    assert len(received) == len(error.calls) == 1


def test_a_server_that_hangs_longer_than_one_request_may_is_asked_again(
    server: OpenAIServer, make: Make
) -> None:
    received = server.play(Answer({}, hang=True), said(make, "Listo."))
    reply = respond(make, server, timeout=0.2, max_retries=1)
    assert reply.content == Draft("Listo.")
    assert "no reply within" in reply.calls[0].error
    assert len(received) == 2


@pytest.mark.parametrize(("limits", "code"), [({"timeout": 0.3}, UNAVAILABLE), ({}, DEADLINE)])
def test_a_server_that_drips_is_left(
    server: OpenAIServer, make: Make, limits: dict[str, float], code: FailureCode
) -> None:
    # All of it would take ten seconds, with never a tenth of silence, and be an answer.
    server.play(Answer(said(make, "Listo.").body, drip=0.05))
    assert failure(make, server, turn(seconds=20 if limits else 0.3), **limits).code is code


@pytest.mark.parametrize("status", [200, 500])
def test_a_connection_that_breaks_in_the_middle_of_a_reply_is_tried_again(
    server: OpenAIServer, make: Make, status: int, quick: None
) -> None:
    received = server.play(Answer("x" * 10_000, status, reset=True), said(make, "Listo."))
    reply = respond(make, server, max_retries=1)
    assert reply.content == Draft("Listo.")
    assert (reply.calls[0].status, reply.calls[0].reply) == (None, None)
    assert reply.calls[0].error.startswith("server failed: ")
    assert len(received) == 2


def test_a_reply_without_end_is_left(
    server: OpenAIServer, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_client, "LARGEST_REPLY", 100_000)
    packed = Answer(gzip.compress(b"x" * 200_000), headers={"Content-Encoding": "gzip"})
    for answer in (Answer("x" * 200_000), packed):
        server.play(answer)
        error = failure(make, server)
        assert error.code is UNAVAILABLE
        assert "too large" in str(error)


def test_no_server_at_all_is_unavailable(server: OpenAIServer, make: Make) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        error = failure(make, server, base_url=url)
    assert error.code is UNAVAILABLE
    assert "refused" in str(error)


def test_a_compressed_reply_is_read(server: OpenAIServer, make: Make) -> None:
    content = gzip.compress(said(make, "Listo.").content)
    server.play(Answer(content, headers={"Content-Encoding": "gzip"}))
    assert respond(make, server).content == Draft("Listo.")
    server.play(Answer(b"no gzip", headers={"Content-Encoding": "gzip"}))
    assert failure(make, server).code is UNAVAILABLE
