"""Replies as servers send them and should not, one each, in both formats where both know it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dofpilot.agent.conversation import Draft, ToolRequest
from dofpilot.agent.errors import FailureCode
from tests.agent.openai.talking import (
    ARGUMENTS,
    CHAT,
    CUT,
    RESPONSES,
    Make,
    body_of,
    called,
    calling,
    calls_sent,
    connection,
    failure,
    past_call,
    reply_to,
    respond,
    returns_sent,
    said,
    turn,
)
from tests.agent.openai_server import (
    Answer,
    OpenAIServer,
    completion,
    function_call,
    message,
    response,
)

READ = ToolRequest("call_1", "read_chunks", "{}")


def test_the_first_of_parallel_calls_is_taken_and_the_rest_dropped(server: OpenAIServer, make: Make) -> None:
    both = calling(make, ("read_chunks", "{}", "call_1"), ("search_documents", "{}", "call_2"))
    request = reply_to(make, server, both)
    assert request == READ
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(request, past_call(call_id="call_1")[1]))
    assert [call["id"] for call in calls_sent(make, received[0])] == ["call_1"]


def test_a_call_that_the_length_limit_cut_is_labelled_and_not_carried_out(
    server: OpenAIServer, make: Make
) -> None:
    cut = called(make, "read_chunks", '{"chu', cut=True)
    assert reply_to(make, server, cut) == Draft("", truncated=True)


def test_a_cut_call_is_told_by_its_own_status_too(server: OpenAIServer) -> None:
    cut = response(function_call("read_chunks", '{"chu', status="incomplete"))
    assert reply_to(RESPONSES, server, cut) == Draft("", truncated=True)


@pytest.mark.parametrize("ended", ["length", "max_tokens", "MAX_TOKENS"])
def test_chat_knows_a_cut_by_its_other_names(server: OpenAIServer, ended: str) -> None:
    assert reply_to(CHAT, server, completion({"content": "En 2026"}, ended)) == Draft("En 2026", True)


def test_text_that_the_length_limit_cut_is_labelled(server: OpenAIServer, make: Make) -> None:
    assert reply_to(make, server, said(make, "En 2026 es", cut=True)) == Draft("En 2026 es", truncated=True)


def test_a_call_with_text_before_it_is_a_call(server: OpenAIServer, make: Make) -> None:
    both = called(make, "read_chunks", "{}", text="Voy a leer.")
    request = reply_to(make, server, both)
    assert request == READ
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(request, past_call(call_id="call_1")[1]))
    assert "Voy a leer." in json.dumps(received[0].body, ensure_ascii=False)


@pytest.mark.parametrize("name", ["read_chunks", "functions.read_chunks", "functions.read_chunks:0"])
@pytest.mark.parametrize("after", ["", " ", "<|channel|>commentary"])
def test_a_name_with_what_belongs_to_the_models_format_is_that_name(
    server: OpenAIServer, make: Make, name: str, after: str
) -> None:
    assert reply_to(make, server, called(make, f"{name}{after}", "{}")) == READ


@pytest.mark.parametrize(
    ("name", "sent"),
    [("lee pasajes", "lee_pasajes"), ("búsqueda", "b_squeda"), ("x" * 80, "x" * 64), (None, "unknown")],
)
def test_a_name_that_no_tool_has_is_sent_back_as_servers_accept_it(
    server: OpenAIServer, make: Make, name: Any, sent: str
) -> None:
    request = reply_to(make, server, called(make, name, "{}"))
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(request))
    assert [call["name"] for call in calls_sent(make, received[0])] == [sent]


@pytest.mark.parametrize("call_id", [None, "", 0])
def test_a_nameless_call_gets_a_name_and_its_return_the_same(
    server: OpenAIServer, make: Make, call_id: Any
) -> None:
    request = reply_to(make, server, called(make, "read_chunks", "{}", call_id))
    assert isinstance(request, ToolRequest)
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(request, past_call(call_id=request.call_id)[1]))
    (call,), (returned,) = calls_sent(make, received[0]), returns_sent(make, received[0])
    assert call["id"] == returned["id"] == request.call_id != ""


def test_a_name_given_twice_is_replaced_for_the_second_call(server: OpenAIServer, make: Make) -> None:
    again = called(make, "read_chunks", "{}", "call_9")
    second = reply_to(make, server, again, *past_call())
    assert isinstance(second, ToolRequest)
    third = reply_to(make, server, again, *past_call(), second, past_call(call_id=second.call_id)[1])
    assert isinstance(third, ToolRequest)
    assert len({"call_9", second.call_id, third.call_id}) == 3


def test_arguments_as_an_object_are_taken_as_they_are(server: OpenAIServer, make: Make) -> None:
    request = reply_to(make, server, called(make, "read_chunks", {"chunk_ids": [1]}))
    assert request == ToolRequest("call_1", "read_chunks", {"chunk_ids": [1]})


@pytest.mark.parametrize(("sent", "read"), [(None, "{}"), ([1], "[1]"), (7, "7"), (True, "true")])
def test_arguments_of_another_kind_are_left_to_the_tool_to_refuse(
    server: OpenAIServer, make: Make, sent: Any, read: str
) -> None:
    request = reply_to(make, server, called(make, "read_chunks", sent))
    assert request == ToolRequest("call_1", "read_chunks", read)
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(request))
    assert [call["arguments"] for call in calls_sent(make, received[0])] == ["{}"]


@pytest.mark.parametrize("calls", [None, [], {}, ["read_chunks"], [{"function": None}], [{"id": "call_1"}]])
def test_calls_that_name_nothing_are_no_calls(server: OpenAIServer, calls: Any) -> None:
    assert reply_to(CHAT, server, completion({"content": "Listo.", "tool_calls": calls})) == Draft("Listo.")


def test_null_content_is_an_empty_draft(server: OpenAIServer, make: Make) -> None:
    empty = {CHAT: completion({"content": None}), RESPONSES: response({"type": "message", "content": None})}
    assert reply_to(make, server, empty[make]) == Draft("")


@pytest.mark.parametrize("broken", [None, "Listo.", [], 7])
def test_a_choice_without_a_message_is_an_empty_draft(server: OpenAIServer, broken: Any) -> None:
    choice = {"index": 0, "message": broken, "finish_reason": "stop"}
    assert reply_to(CHAT, server, completion({}, choices=[choice])) == Draft("")


PARTS = [{"type": "text", "text": "En "}, {"text": "20"}, "2", {"type": "output_text", "text": "6"}]
NO_TEXT = [{"type": "image", "text": "x"}, {"type": "text", "text": None}, {"type": "text"}, None, 7]


def test_text_in_parts_is_joined_and_other_parts_are_left_out(server: OpenAIServer, make: Make) -> None:
    content = [*PARTS, *NO_TEXT]
    parts = {
        CHAT: completion({"content": content}),
        RESPONSES: response({"type": "message", "role": "assistant", "content": content}),
    }
    assert reply_to(make, server, parts[make]) == Draft("En 2026")


def test_responses_takes_a_message_whose_content_is_plain_text(server: OpenAIServer) -> None:
    assert reply_to(RESPONSES, server, response({"role": "assistant", "content": "Sí."})) == Draft("Sí.")


def test_responses_takes_the_conclusion_and_not_what_was_said_on_the_way(server: OpenAIServer) -> None:
    both = response(message("Pienso.", phase="commentary"), message("Sí.", phase="final_answer"))
    assert reply_to(RESPONSES, server, both) == Draft("Sí.")


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [], "output": []},
        {"choices": None, "output": None},
        {"choices": {}, "output": {}},
        {"choices": [None], "output": [None]},
        {},
    ],
)
def test_a_reply_without_content_is_asked_for_again(
    server: OpenAIServer, make: Make, body: Any, quick: None
) -> None:
    server.play(Answer(body))
    assert failure(make, server).code is FailureCode.PROVIDER_UNAVAILABLE
    received = server.play(Answer(body), said(make, "Listo."))
    assert respond(make, server, max_retries=1).content == Draft("Listo.")
    assert len(received) == 2


@pytest.mark.parametrize(
    "body",
    ["<html>proxy</html>", "[1, 2]", '"hola"', "null", "", '{"choices": [', "[" * 100_000, b"\xff\xfe\x00"],
    ids=["html", "list", "text", "null", "nothing", "cut", "deep", "bytes"],
)
def test_a_reply_that_is_no_json_object_is_no_answer(server: OpenAIServer, make: Make, body: Any) -> None:
    server.play(Answer(body))
    error = failure(make, server)
    assert error.code is FailureCode.PROVIDER_UNAVAILABLE
    assert "no JSON object" in str(error)


def test_a_html_page_under_the_type_of_html_is_no_answer(server: OpenAIServer, make: Make) -> None:
    server.play(Answer("<html>proxy</html>", headers={"Content-Type": "text/html"}))
    assert failure(make, server).code is FailureCode.PROVIDER_UNAVAILABLE


def test_what_no_text_can_carry_is_replaced(server: OpenAIServer, make: Make) -> None:
    answer = said(make, "Sí\ud800\0.")
    draft = reply_to(make, server, answer)
    assert draft == Draft("Sí\ufffd\ufffd.")
    server.play(said(make, "Listo."))
    assert respond(make, server, turn(draft)).content == Draft("Listo.")


def test_numbers_that_json_does_not_know_are_nothing(server: OpenAIServer, make: Make) -> None:
    body = json.dumps({**body_of(said(make, "Sí.")), "score": float("nan")})
    server.play(Answer(body))
    (call,) = respond(make, server).calls
    assert call.reply["score"] is None


REFUSALS = {
    CHAT: [
        completion({"content": None, "refusal": "No puedo."}),
        completion({"content": ""}, "content_filter"),
    ],
    RESPONSES: [
        response({"type": "message", "content": [{"type": "refusal", "refusal": "No puedo."}]}),
        response(status="incomplete", incomplete_details={"reason": "content_filter"}),
    ],
}


@pytest.mark.parametrize("which", [0, 1])
def test_a_refusal_is_no_answer_and_has_its_record(server: OpenAIServer, make: Make, which: int) -> None:
    received = server.play(REFUSALS[make][which])
    error = failure(make, server, max_retries=5)
    assert error.code is FailureCode.PROVIDER_REFUSED
    assert len(received) == len(error.calls) == 1
    assert error.calls[0].reply == REFUSALS[make][which].body


def test_a_cut_reply_without_output_is_an_empty_draft_and_labelled(server: OpenAIServer) -> None:
    assert reply_to(RESPONSES, server, response(**CUT)) == Draft("", truncated=True)


def test_odd_details_of_a_cut_do_no_harm(server: OpenAIServer) -> None:
    odd = response(message("Sí."), incomplete_details="max_output_tokens")
    assert reply_to(RESPONSES, server, odd) == Draft("Sí.")


@pytest.mark.parametrize("part", ["parallel_tool_calls", "include"])
@pytest.mark.parametrize("named", [True, False])
def test_it_does_without_a_part_of_the_request_that_the_model_does_not_know(
    server: OpenAIServer, make: Make, part: str, named: bool
) -> None:
    if (make, part) == (CHAT, "include"):
        return
    words = {
        "parallel_tool_calls": "Unsupported parameter: 'parallel_tool_calls' is not supported.",
        "include": "Encrypted content is not supported with this model.",
    }
    refusal = {"message": "Not supported." if named else words[part], "param": part if named else None}
    received = server.play(Answer({"error": refusal}, 400), called(make, "search_documents", ARGUMENTS))
    speaking = make(connection(server))
    reply = speaking.respond(turn())
    assert reply.content == ToolRequest("call_1", "search_documents", ARGUMENTS)
    assert [call.status for call in reply.calls] == [400, 200]
    speaking.respond(turn())
    assert [part in sent.body for sent in received] == [True, False, False]


def test_a_refusal_of_anything_else_is_not_asked_again(server: OpenAIServer, make: Make) -> None:
    received = server.play(Answer({"error": {"message": "Bad tools.", "param": "tools"}}, 400))
    assert failure(make, server).code is FailureCode.PROVIDER_REFUSED
    assert len(received) == 1


def test_a_server_that_refuses_every_part_is_not_asked_for_ever(server: OpenAIServer, make: Make) -> None:
    words = "parallel_tool_calls and encrypted content are not supported"
    received = server.play(Answer({"error": {"message": words}}, 400))
    with pytest.raises(Exception, match="not supported"):
        make(connection(server)).respond(turn())
    assert len(received) == (2 if make is CHAT else 3)
