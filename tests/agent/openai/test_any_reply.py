"""Whatever JSON a server sends, a provider gives a reply or a failure, and can go on with what it gave."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from dofpilot.agent.conversation import Revision, ToolRequest, ToolReturn
from dofpilot.agent.errors import AgentFailure
from tests.agent.openai.talking import (
    CHAT,
    CUT,
    RESPONSES,
    Make,
    calls_sent,
    past_call,
    respond,
    returns_sent,
    said,
    turn,
)
from tests.agent.openai_server import Answer, OpenAIServer, Received

WORDS = [
    "", "text", "output_text", "message", "function_call", "reasoning", "read_chunks", "call_1", "length",
    "incomplete", "content_filter", "null", "<think>x", "</think>", "\ud800\0", '{"chunk_ids": [1]}', "[",
]  # fmt: skip
NAMES = [
    "content", "tool_calls", "function", "name", "arguments", "id", "call_id", "type", "text", "status",
    "phase", "summary", "encrypted_content", "reasoning_content", "extra_content", "refusal", "code",
    "message",
]  # fmt: skip
# Written as they are by hand; ``json.dumps`` would make other numbers of them.
NUMBERS = ["1e400", "-1e400", "1" * 5000, "[" * 150 + "]" * 150, "[" * 485 + "]" * 485]
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-2, 600)
    | st.floats()
    | st.sampled_from(WORDS)
    | st.sampled_from(NUMBERS).map(lambda number: f"«{number}»")
)
JSON = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6),
    max_leaves=12,
)
OBJECT = st.dictionaries(st.sampled_from(NAMES), JSON, max_size=8)
PART = st.builds(
    lambda kind, text, more: {**more, "type": kind, "text": text},
    JSON | st.sampled_from(["text", "output_text"]), JSON, OBJECT,
)  # fmt: skip
SAID = st.builds(lambda parts, more: {**more, "content": parts}, st.lists(PART, max_size=3), OBJECT)
CALL = st.builds(
    lambda name, arguments, call_id, more: {
        **more, "type": "function_call", "id": call_id, "call_id": call_id,
        "name": name, "arguments": arguments,
        "function": {"name": name, "arguments": arguments},
    },
    JSON, JSON, JSON, OBJECT,
)  # fmt: skip
CHOICE = st.builds(
    lambda message, calls, ended: {"message": {**message, "tool_calls": calls}, "finish_reason": ended},
    OBJECT | SAID, st.lists(CALL, max_size=2), PLAIN,
)  # fmt: skip
BODIES = {
    CHAT: st.fixed_dictionaries({"choices": st.lists(CHOICE | JSON, max_size=2)}),
    RESPONSES: st.fixed_dictionaries({"output": st.lists(CALL | OBJECT | SAID | JSON, max_size=4)}),
}
MORE = st.fixed_dictionaries(
    {}, optional={"usage": JSON, "error": JSON, "status": PLAIN, "incomplete_details": JSON | st.just(CUT)}
)


@given(st.data())
@settings(deadline=None)
def check(make: Make, server: OpenAIServer, data: st.DataObject) -> None:
    body: Any = data.draw(BODIES[make] | OBJECT) | data.draw(MORE)
    status = data.draw(st.sampled_from([200, 200, 200, 400, 500]))
    server.play(Answer(re.sub('"«(.*?)»"', r"\1", json.dumps(body, ensure_ascii=False)), status))
    with contextlib.suppress(AgentFailure):
        content = respond(make, server, turn(*past_call())).content
        after: ToolReturn | Revision = Revision(("No.",))
        if isinstance(content, ToolRequest):
            after = past_call(call_id=content.call_id)[1]
        received = server.play(said(make, "Listo."))
        respond(make, server, turn(*past_call(), content, after))
        accepted_by_servers(make, received[0])


def accepted_by_servers(make: Make, sent: Received) -> None:
    calls, returns = calls_sent(make, sent), returns_sent(make, sent)
    assert [call["id"] for call in calls] == [returned["id"] for returned in returns]
    assert len({call["id"] for call in calls}) == len(calls)
    for call in calls:
        assert call["id"]
        assert re.fullmatch("[A-Za-z0-9_-]{1,64}", call["name"])
        assert isinstance(json.loads(call["arguments"]), dict)


def test_no_reply_is_beyond_it(server: OpenAIServer, make: Make) -> None:
    check(make, server)
