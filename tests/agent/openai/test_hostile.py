"""Replies that no decent server sends: they end as replies of no use, and harm neither run nor anybody."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from dofpilot.agent.conversation import Draft, Usage
from dofpilot.agent.errors import FailureCode
from dofpilot.agent.render.public import public_result
from dofpilot.agent.render.trace import dumps
from tests.agent.asking import CHUNK
from tests.agent.openai.talking import (
    ARGUMENTS,
    AT_ONCE,
    CHAT,
    KEY,
    RESPONSES,
    Make,
    body_of,
    called,
    calls_sent,
    failure,
    ran,
    read,
    reply_to,
    respond,
    said,
    sent_after,
    turn,
)
from tests.agent.openai_server import (
    Answer,
    OpenAIServer,
    chat_call,
    completion,
    function_call,
    response,
)

UNAVAILABLE, REFUSED = FailureCode.PROVIDER_UNAVAILABLE, FailureCode.PROVIDER_REFUSED
ESCAPED = "".join(f"\\u{ord(character):04x}" for character in KEY)
SPELLINGS = [KEY, KEY.upper(), ESCAPED, KEY.replace("-", "%2D")]


@pytest.mark.parametrize("spelled", SPELLINGS)
def test_the_key_is_in_nothing_that_a_run_tells(server: OpenAIServer, make: Make, spelled: str) -> None:
    query = {"query": f"salario {spelled}"}
    final = {
        "answer": f"{spelled} son 315.04 [{CHUNK}].",
        "citations": [CHUNK],
        "premise_status": "supported",
    }
    run = ran(
        make,
        server,
        called(make, "search_documents", json.dumps(query), text=f"Busco con {spelled}."),
        called(make, "search_documents", query, f"call-{spelled}"),
        called(make, spelled, "{}", "call_3"),
        read(make, "call_4"),
        said(make, json.dumps(final)),
    )
    assert run.outcome.answer is not None
    assert run.outcome.answer.text.startswith("*** son 315.04")
    told = dumps([[event.payload for event in run.log.events], public_result(run.outcome)])
    sent = json.dumps([received.body for received in run.received])
    for text in (told.lower(), sent.lower()):
        assert "***" in text
        for part in (*map(str.lower, SPELLINGS), "secreta-", "0123456789"):
            assert part not in text


def test_a_key_in_pieces_is_not_put_together(server: OpenAIServer, make: Make) -> None:
    pieces = [{"type": "text", "text": piece} for piece in ("La clave es ", KEY[:9], KEY[9:], ".")]
    parts = {
        CHAT: completion({"content": pieces}),
        RESPONSES: response({"type": "message", "content": pieces}),
    }
    assert reply_to(make, server, parts[make]) == Draft("La clave es ***.")


@pytest.mark.parametrize("kind", [{}, [], {"a": []}, 7, True])
def test_a_part_of_no_known_kind_is_left_out(server: OpenAIServer, make: Make, kind: Any) -> None:
    content = [{"type": kind, "text": "x"}, {"type": "text", "text": "Sí."}]
    parts = {CHAT: completion({"content": content}), RESPONSES: response({"content": content})}
    assert reply_to(make, server, parts[make]) == Draft("Sí.")


HUGE = ["1e400", "-1e400", "NaN", "Infinity"]
NUMBER = "«number»"


def with_number(answer: Answer, number: str) -> Answer:
    text = json.dumps(answer.body).replace(json.dumps(NUMBER), number)
    assert number in text
    return Answer(text)


CARRIED = {
    CHAT: [
        {"reasoning_details": [{"data": NUMBER}]},
        {"reasoning_content": [NUMBER]},
        {"content": [{"type": "text", "text": "Leo.", "score": NUMBER}]},
    ],
    RESPONSES: [
        [{"type": "reasoning", "id": "rs", "encrypted_content": {"a": NUMBER}}],
        [{"type": "reasoning", "id": ["x", NUMBER], "encrypted_content": "gAAAA"}],
        [{"type": "message", "content": [{"text": "Leo.", "score": NUMBER}]}],
    ],
}


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_number_that_json_cannot_carry_is_not_carried_back(
    server: OpenAIServer, make: Make, number: str, which: int
) -> None:
    carried: Any = CARRIED[make][which]
    if make is CHAT:
        answer = completion({**carried, "tool_calls": [chat_call("read_chunks", ARGUMENTS)]}, "tool_calls")
    else:
        answer = response(*carried, function_call("read_chunks", ARGUMENTS))
    sent = sent_after(make, server, reply_to(make, server, with_number(answer, number)))
    assert '"read_chunks"' in json.dumps(sent)


def test_chat_carries_no_such_number_back_beside_its_call(server: OpenAIServer) -> None:
    call = chat_call("read_chunks", ARGUMENTS, extra_content={"a": NUMBER})
    answer = completion({"content": None, "tool_calls": [call]}, "tool_calls")
    sent = sent_after(CHAT, server, reply_to(CHAT, server, with_number(answer, "1e400")))
    assert sent[2]["tool_calls"][0]["extra_content"] == {"a": None}


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize("encode", [str, json.dumps])
def test_arguments_with_such_a_number_are_sent_back_as_json_that_any_server_reads(
    server: OpenAIServer, make: Make, number: str, encode: Any
) -> None:
    request = reply_to(make, server, called(make, "read_chunks", encode(f'{{"limit": {number}}}')))
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(request))
    assert [call["arguments"] for call in calls_sent(make, received[0])] == ['{"limit": null}']


@pytest.mark.parametrize("levels", [150, 485, 5_000, 100_000])
def test_a_reply_that_is_nested_too_deep_is_no_answer(server: OpenAIServer, make: Make, levels: int) -> None:
    body = body_of(called(make, "read_chunks", "{}"))
    text = json.dumps({**body, "more": NUMBER}).replace(json.dumps(NUMBER), "[" * levels + "]" * levels)
    received = server.play(Answer(text))
    error = failure(make, server)
    assert error.code is UNAVAILABLE
    assert error.calls[0].reply == text
    assert len(received) == 1


@pytest.mark.parametrize("levels", [150, 485, 5_000])
def test_arguments_that_are_nested_too_deep_are_not_sent_back(
    server: OpenAIServer, make: Make, levels: int
) -> None:
    deep = f'{{"query": {"[" * levels}{"]" * levels}}}'
    for arguments in (deep, json.dumps(deep)):
        request = reply_to(make, server, called(make, "read_chunks", arguments))
        received = server.play(said(make, "Listo."))
        respond(make, server, turn(request))
        assert [call["arguments"] for call in calls_sent(make, received[0])] == ["{}"]


@pytest.mark.parametrize(
    "charset", ["hex", "rot13", "undefined", "idna", "punycode", "zlib", "utf-16", "latin-1", "\x80"]
)
@pytest.mark.parametrize("status", [200, 400])
def test_a_reply_is_utf8_whatever_it_says_of_itself(
    server: OpenAIServer, make: Make, charset: str, status: int
) -> None:
    headers = {"Content-Type": f"application/json; charset={charset}"}
    text = json.dumps({"error": {"message": "Dirección"}}, ensure_ascii=False)
    server.play(Answer(text if status == 400 else said(make, "Sí.").body, status, headers))
    if status == 200:
        assert respond(make, server).content == Draft("Sí.")
    else:
        assert "Dirección" in str(failure(make, server))


def test_what_is_no_utf8_is_replaced(server: OpenAIServer, make: Make) -> None:
    server.play(Answer(said(make, "Xx.").content.replace(b"Xx", b"S\xed")))
    assert respond(make, server).content == Draft("S\ufffd.")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nobody_else_is_told_the_conversation(server: OpenAIServer, make: Make, status: int) -> None:
    with OpenAIServer() as other:
        elsewhere = other.play(said(make, "Sí."))
        received = server.play(Answer("", status, {"Location": f"{other.url}/{KEY}"}))
        error = failure(make, server, max_retries=5)
    assert (len(received), len(elsewhere)) == (1, 0)
    assert error.code is REFUSED
    assert f"HTTP {status} redirects to «{other.url}/***», which is not followed" in str(error)


def test_a_redirection_takes_no_tokens(server: OpenAIServer, make: Make) -> None:
    told = {"usage": body_of(said(make, ""))["usage"]}
    server.play(Answer(told, 503, AT_ONCE), Answer("", 307, {"Location": "/v2"}))
    error = failure(make, server, max_retries=1)
    assert error.usage == Usage(120, 15)


class Hurt(Exception):
    """Quotes what it was raised for, as errors do."""


def hurt_by(values: Any) -> Any:
    raise Hurt(f"cannot read this: {KEY} {values}")


def test_whatever_a_reply_does_to_its_reader_it_is_a_reply_of_no_use(
    server: OpenAIServer,
    make: Make,
    quick: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for module in ("openai_chat", "openai_responses"):
        monkeypatch.setattr(f"dofpilot.agent.providers.{module}.objects", hurt_by)
    received = server.play(said(make, "Sí."))
    error = failure(make, server, max_retries=1)
    assert error.code is UNAVAILABLE
    assert len(received) == len(error.calls) == 2
    assert error.calls[1].reply == said(make, "Sí.").body
    assert "Hurt" in str(error)
    told = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert len(told) == 2
    assert "in hurt_by" in told[0].getMessage()
    assert KEY not in caplog.text


def test_whatever_it_does_before_it_is_read_it_is_of_no_use_and_recorded(
    server: OpenAIServer, make: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("dofpilot.agent.providers.openai_wire.decoded", hurt_by)
    server.play(Answer({"error": {"message": KEY}}, 500))
    error = failure(make, server)
    assert error.code is UNAVAILABLE
    (call,) = error.calls
    assert (call.status, call.reply) == (500, None)
    assert "in hurt_by" in caplog.text
    assert KEY not in caplog.text


def test_whatever_it_does_to_the_client_it_is_of_no_use_and_recorded(
    server: OpenAIServer,
    make: Make,
    quick: None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("dofpilot.agent.providers.openai_client._pieces", lambda *_: hurt_by(KEY))
    received = server.play(said(make, "Sí."))
    error = failure(make, server, max_retries=1)
    assert error.code is UNAVAILABLE
    assert len(received) == len(error.calls) == 2
    assert "Hurt" in str(error)
    assert "in hurt_by" in caplog.text
