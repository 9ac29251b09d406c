"""What a model thinks is never shown and never the answer, and is sent back where its server wants it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dofpilot.agent.conversation import Draft, Revision, ToolRequest, ToolReturn
from dofpilot.agent.providers.openai_reading import text_of
from tests.agent.openai.talking import (
    ARGUMENTS,
    CHAT,
    CUT,
    RESPONSES,
    Make,
    called,
    items,
    past_call,
    reply_to,
    respond,
    said,
    turn,
)
from tests.agent.openai_server import (
    Json,
    OpenAIServer,
    chat_call,
    completion,
    function_call,
    message,
    response,
)

SEALED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA", "status": None}
OPEN = {
    "type": "reasoning",
    "id": "rs_2",
    "summary": [{"type": "summary_text", "text": "Resumen privado."}],
    "content": [{"type": "reasoning_text", "text": "Pienso en privado."}],
}
LOST: Json = {"type": "reasoning", "id": "rs_3", "summary": [], "encrypted_content": None}
CALL = function_call("read_chunks", ARGUMENTS, id="fc_1")
ANSWER = '{"answer": "Sí.", "citations": [], "premise_status": "supported"}'


def returned(request: ToolRequest | Draft) -> tuple[ToolRequest | Draft, ToolReturn]:
    assert isinstance(request, ToolRequest)
    return request, past_call(call_id=request.call_id)[1]


def history(make: Make, server: OpenAIServer, *messages: Any) -> list[Json]:
    received = server.play(said(make, "Listo."))
    respond(make, server, turn(*messages))
    return items(make, received[0])


@pytest.mark.parametrize(
    "text",
    [
        f"<think>Pienso: {{}}</think>\n{ANSWER}",
        f"\n<thinking>\nPienso.\n</thinking>{ANSWER}",
        f"<Thought>Pienso.</Thought>{ANSWER}",
        f"<reasoning>Pienso.</reasoning>{ANSWER}",
        f"<seed:think>Pienso.</seed:think>{ANSWER}",
        f"[THINK]Pienso.[/THINK]{ANSWER}",
        f"◁think▷Pienso.◁/think▷{ANSWER}",
        f"Pienso, pues la plantilla abrió por mí.\n</think>\n\n{ANSWER}",
        f"<think>Uno.</think><think>Dos.</think>{ANSWER}",
        f"<|channel|>analysis<|message|>Pienso.<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
        f"<|channel|>final<|constrain|>json<|message|>{ANSWER}<|return|>",
    ],
)
def test_thoughts_before_the_answer_are_taken_off(server: OpenAIServer, make: Make, text: str) -> None:
    draft = reply_to(make, server, said(make, text))
    assert isinstance(draft, Draft)
    assert draft.text.strip() == ANSWER


@pytest.mark.parametrize(
    "text",
    [ANSWER.replace("Sí", "El marcador </think> se cita"), f"```json\n{ANSWER}\n```", "Dice <b>no</b>."],
)
def test_an_answer_stays_whole_whatever_it_quotes(server: OpenAIServer, make: Make, text: str) -> None:
    assert reply_to(make, server, said(make, text)) == Draft(text)


@pytest.mark.parametrize("thought", ["</think>", "<think></think>", " </think>\n", "<|channel|>final"])
def test_any_number_of_thoughts_is_taken_off(thought: str) -> None:
    """In a moment; what grows with the square of their number would take hours."""
    thoughts = thought * (10_000_000 // len(thought))
    left = thoughts + ANSWER if thought == "<|channel|>final" else ANSWER
    assert text_of(thoughts + ANSWER).strip() == left


@pytest.mark.parametrize("cut", [True, False])
def test_thoughts_that_never_end_are_no_answer(server: OpenAIServer, make: Make, cut: bool) -> None:
    assert reply_to(make, server, said(make, f"<think>{ANSWER}", cut=cut)) == Draft("", truncated=cut)


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_chat_takes_no_reasoning_for_the_answer(server: OpenAIServer, name: str) -> None:
    assert reply_to(CHAT, server, completion({"content": None, name: ANSWER})) == Draft("")
    assert reply_to(CHAT, server, completion({"content": "Sí.", name: "Pienso."})) == Draft("Sí.")


def test_parts_that_are_thoughts_are_left_out(server: OpenAIServer, make: Make) -> None:
    thought = {"type": "thinking", "text": "Pienso.", "thinking": [{"type": "text", "text": "Pienso."}]}
    content = [thought, {"type": "reasoning", "text": "Pienso."}, {"type": "text", "text": "Sí."}]
    parts = {CHAT: completion({"content": content}), RESPONSES: response({"content": content})}
    assert reply_to(make, server, parts[make]) == Draft("Sí.")


@pytest.mark.parametrize("thought", [SEALED, OPEN, LOST])
def test_responses_takes_no_reasoning_item_for_the_answer(server: OpenAIServer, thought: Json) -> None:
    assert reply_to(RESPONSES, server, response(thought, message("Sí."))) == Draft("Sí.")
    assert reply_to(RESPONSES, server, response(thought)) == Draft("")
    assert reply_to(RESPONSES, server, response(thought, **CUT)) == Draft("", truncated=True)


def test_responses_asks_for_sealed_reasoning_in_every_turn(server: OpenAIServer) -> None:
    received = server.play(said(RESPONSES, "Listo."))
    respond(RESPONSES, server)
    respond(RESPONSES, server, turn(tools=()))
    assert [sent.body["include"] for sent in received] == [["reasoning.encrypted_content"]] * 2
    assert [sent.body["store"] for sent in received] == [False, False]


def test_responses_sends_sealed_reasoning_back_right_before_its_call(server: OpenAIServer) -> None:
    request = reply_to(RESPONSES, server, response(SEALED, message("Leo."), CALL))
    sent = history(RESPONSES, server, *returned(request))
    assert sent[1] == {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"}
    assert sent[2] == message("Leo.")
    called_back = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read_chunks"}
    assert sent[3] == {**called_back, "arguments": ARGUMENTS}
    assert (sent[4]["type"], sent[4]["call_id"]) == ("function_call_output", "call_1")


def test_responses_gives_reasoning_the_summary_that_it_must_have(server: OpenAIServer) -> None:
    bare = {"type": "reasoning", "encrypted_content": "gAAAA"}
    sent = history(RESPONSES, server, *returned(reply_to(RESPONSES, server, response(bare, CALL))))
    assert sent[1] == {**bare, "summary": []}


def test_responses_sends_back_what_the_call_has_become(server: OpenAIServer) -> None:
    broken = function_call("functions.read_chunks", '{"chu', None, id="fc_1")
    request = reply_to(RESPONSES, server, response(SEALED, broken))
    sent = history(RESPONSES, server, *returned(request))
    assert (sent[2]["name"], sent[2]["arguments"]) == ("read_chunks", "{}")
    assert sent[2]["call_id"] == sent[3]["call_id"]


def test_responses_sends_back_no_call_that_was_dropped(server: OpenAIServer) -> None:
    both = response(SEALED, CALL, LOST, function_call("search_documents", "{}", "call_2", id="fc_2"))
    sent = history(RESPONSES, server, *returned(reply_to(RESPONSES, server, both)))
    kinds = [item.get("type", item.get("role")) for item in sent]
    assert kinds == ["user", "reasoning", "function_call", "function_call_output"]


def test_responses_sends_open_reasoning_back_to_the_server_that_gave_it(server: OpenAIServer) -> None:
    sent = history(RESPONSES, server, *returned(reply_to(RESPONSES, server, response(OPEN, CALL))))
    assert sent[1] == OPEN


def test_responses_sends_back_neither_lost_reasoning_nor_names_that_need_it(server: OpenAIServer) -> None:
    sent = history(
        RESPONSES, server, *returned(reply_to(RESPONSES, server, response(LOST, message("Leo."), CALL)))
    )
    assert [item.get("type") for item in sent[1:3]] == ["message", "function_call"]
    assert not [item for item in sent if "id" in item]


def test_responses_sends_reasoning_back_with_a_draft_that_is_to_be_revised(server: OpenAIServer) -> None:
    draft = reply_to(RESPONSES, server, response(SEALED, message("Sí."), OPEN))
    sent = history(RESPONSES, server, draft, Revision(("Falta 2025.",)))
    assert [item.get("type") for item in sent[1:3]] == ["reasoning", "message"]
    assert sent[2] == message("Sí.")
    assert "Falta 2025." in sent[3]["content"]
    assert len(sent) == 4


@pytest.mark.parametrize("output", [[SEALED], [SEALED, message("")]])
def test_responses_sends_no_reasoning_back_that_nothing_follows(
    server: OpenAIServer, output: list[Json]
) -> None:
    draft = reply_to(RESPONSES, server, response(*output))
    sent = history(RESPONSES, server, draft, Revision(("La respuesta llegó vacía.",)))
    assert [item.get("role") for item in sent] == ["user", "user"]


def test_responses_sends_no_cut_reasoning_back(server: OpenAIServer) -> None:
    draft = reply_to(RESPONSES, server, response(SEALED, message("En 2026"), **CUT))
    sent = history(RESPONSES, server, draft, Revision(("Se cortó.",)))
    assert sent[1] == {"role": "assistant", "content": "En 2026"}


@pytest.mark.parametrize(
    "thought",
    [
        {"reasoning_content": "Pienso."},
        {"reasoning_content": ""},
        {"reasoning": "Pienso."},
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": "gAAAA"}]},
        {"content": "<think>Pienso.</think>"},
    ],
)
def test_chat_sends_reasoning_back_with_its_call(server: OpenAIServer, thought: Json) -> None:
    answer = completion({"content": None, "tool_calls": [chat_call("read_chunks", ARGUMENTS)], **thought})
    sent = history(CHAT, server, *returned(reply_to(CHAT, server, answer)))
    plain = {"role": "assistant", "content": None, "tool_calls": [chat_call("read_chunks", ARGUMENTS)]}
    assert sent[2] == plain | thought
    assert sent[3]["role"] == "tool"


def test_chat_sends_back_what_a_server_keeps_beside_its_call(server: OpenAIServer) -> None:
    signature = {"extra_content": {"google": {"thought_signature": "gAAAA"}}}
    answer = completion({"content": None, "tool_calls": [chat_call("read_chunks", ARGUMENTS, **signature)]})
    sent = history(CHAT, server, *returned(reply_to(CHAT, server, answer)))
    assert sent[2]["tool_calls"] == [chat_call("read_chunks", ARGUMENTS, **signature)]


def test_chat_sends_no_reasoning_where_none_was_given(server: OpenAIServer) -> None:
    sent = history(CHAT, server, *returned(reply_to(CHAT, server, called(CHAT, "read_chunks", ARGUMENTS))))
    assert sent[2].keys() == {"role", "content", "tool_calls"}


def test_a_request_does_not_show_what_it_carries(server: OpenAIServer, make: Make) -> None:
    thinking = {
        CHAT: completion({"reasoning_content": "Pienso.", "tool_calls": [chat_call("read_chunks", "{}")]}),
        RESPONSES: response(OPEN, function_call("read_chunks", "{}")),
    }
    request = reply_to(make, server, thinking[make])
    assert request.carried
    assert "ienso" not in repr(request)
    assert request == ToolRequest("call_1", "read_chunks", "{}")
    assert "Pienso" in json.dumps(history(make, server, *returned(request)))
