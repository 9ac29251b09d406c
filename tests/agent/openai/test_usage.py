"""Counted tokens of both formats; what is not said stays unknown."""

from __future__ import annotations

from typing import Any

import pytest

from dofpilot.agent.conversation import Usage
from tests.agent.openai.talking import CHAT, RESPONSES, Make, body_of, failure, respond, said
from tests.agent.openai_server import Answer, OpenAIServer

CHAT_USAGE = {
    "prompt_tokens": 120,
    "completion_tokens": 15,
    "prompt_tokens_details": {"cached_tokens": 100},
    "completion_tokens_details": {"reasoning_tokens": 7},
}
RESPONSES_USAGE = {
    "input_tokens": 120,
    "output_tokens": 15,
    "input_tokens_details": {"cached_tokens": 100},
    "output_tokens_details": {"reasoning_tokens": 7},
}
WITHOUT_PARTS = dict.fromkeys(("prompt_tokens_details", "input_tokens_details"))
USAGE = {CHAT: CHAT_USAGE, RESPONSES: RESPONSES_USAGE}


def counting(make: Make, usage: Any, **more: Any) -> Answer:
    return Answer({**body_of(said(make, "Sí.")), "usage": usage, **more})


def usage_of(make: Make, server: OpenAIServer, usage: Any) -> Usage:
    server.play(counting(make, usage))
    return respond(make, server).usage


def test_it_reads_all_four_counts(server: OpenAIServer, make: Make) -> None:
    assert usage_of(make, server, USAGE[make]) == Usage(120, 15, 100, 7)


def test_none_cached_is_known_and_not_absent(server: OpenAIServer) -> None:
    usage = {**CHAT_USAGE, "prompt_tokens_details": {"cached_tokens": 0}}
    assert usage_of(CHAT, server, usage).cached_input_tokens == 0


@pytest.mark.parametrize("usage", [None, {}, [], "120", 120, {"total_tokens": 135}])
def test_it_does_without_usage(server: OpenAIServer, make: Make, usage: Any) -> None:
    assert usage_of(make, server, usage) == Usage(None, None, None, None)


@pytest.mark.parametrize("details", [None, {}, [], {"cached_tokens": None, "reasoning_tokens": None}, 7])
def test_absent_parts_stay_unknown(server: OpenAIServer, make: Make, details: Any) -> None:
    usage = {key: details if key.endswith("details") else count for key, count in USAGE[make].items()}
    assert usage_of(make, server, usage) == Usage(120, 15, None, None)


@pytest.mark.parametrize("count", [-1, 1.5, "120", True, None, [1]])
def test_what_is_no_count_is_not_taken_for_one(server: OpenAIServer, make: Make, count: Any) -> None:
    wholes = {key: count for key, value in USAGE[make].items() if isinstance(value, int)}
    assert usage_of(make, server, USAGE[make] | wholes) == Usage(None, None, 100, 7)
    parts = {
        key: dict.fromkeys(value, count) for key, value in USAGE[make].items() if isinstance(value, dict)
    }
    assert usage_of(make, server, USAGE[make] | parts) == Usage(120, 15, None, None)


def test_a_part_larger_than_its_whole_is_not_believed(server: OpenAIServer, make: Make) -> None:
    wholes = {key: 5 for key, value in USAGE[make].items() if isinstance(value, int)}
    assert usage_of(make, server, USAGE[make] | wholes) == Usage(5, 5, None, None)


@pytest.mark.parametrize("name", ["cached_tokens", "prompt_cache_hit_tokens"])
def test_chat_knows_where_other_servers_keep_what_was_cached(server: OpenAIServer, name: str) -> None:
    usage = {"prompt_tokens": 120, "completion_tokens": 15, name: 90}
    assert usage_of(CHAT, server, usage).cached_input_tokens == 90


def test_a_reply_that_was_of_no_use_counts_too(server: OpenAIServer, make: Make, quick: None) -> None:
    empty = counting(make, USAGE[make], choices=[], output=[])
    server.play(empty, Answer({}, 503), counting(make, USAGE[make]))
    reply = respond(make, server, max_retries=2)
    assert len(reply.calls) == 3
    assert reply.usage == Usage(240, 30, 200, 14)


NOTHING = {"choices": [], "output": []}
UNTOLD = {
    "a reply without counts": Answer(NOTHING),
    "no reply in time": Answer({}, hang=True),
    "a reply that broke off": Answer(NOTHING, reset=True),
    "not what was cached": Answer({**NOTHING, "usage": {**CHAT_USAGE, **RESPONSES_USAGE, **WITHOUT_PARTS}}),
}


@pytest.mark.parametrize("untold", UNTOLD)
def test_more_was_used_than_is_said_where_a_request_told_less_than_another(
    server: OpenAIServer, make: Make, untold: str, quick: None
) -> None:
    server.play(UNTOLD[untold], counting(make, USAGE[make]))
    reply = respond(make, server, max_retries=1, timeout=0.3)
    assert len(reply.calls) == 2
    assert reply.usage.partial
    assert reply.usage.cached_input_tokens == 100


def test_a_count_that_no_request_takes_is_none(server: OpenAIServer, make: Make) -> None:
    counts = {name: 10**30 if isinstance(count, int) else count for name, count in USAGE[make].items()}
    server.play(counting(make, counts))
    used = respond(make, server).usage
    assert (used.input_tokens, used.output_tokens) == (None, None)


def test_a_refusal_costs_nothing(server: OpenAIServer, make: Make, quick: None) -> None:
    server.play(Answer({"error": {"message": "despacio"}}, 429), counting(make, USAGE[make]))
    assert respond(make, server, max_retries=1).usage == Usage(120, 15, 100, 7)


def test_a_turn_that_fails_tells_what_its_requests_took(
    server: OpenAIServer, make: Make, quick: None
) -> None:
    server.play(counting(make, USAGE[make], **NOTHING), Answer({}, 401))
    error = failure(make, server, max_retries=1)
    assert len(error.calls) == 2
    assert error.usage == Usage(120, 15, 100, 7)


def test_a_sum_with_something_partial_is_partial() -> None:
    assert Usage(1, 1) + Usage(2, 2, partial=True) == Usage(3, 3, partial=True)
    assert not (Usage(1, 1) + Usage()).partial
