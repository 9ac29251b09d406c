"""What a conversation costs to send: the requests of every turn, with results compact and in full."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile
from typing import Any

import splintr

from dofpilot.agent.conversation import Message, ToolReturn, Turn
from dofpilot.agent.providers.openai_chat import OpenAIChat
from dofpilot.agent.providers.openai_wire import Connection
from dofpilot.agent.render.trace import dumps, full
from dofpilot.agent.tools.results import DocumentsFound, EvidenceFound

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Size:
    bytes: int = 0
    tokens: int = 0

    def __add__(self, more: Size) -> Size:
        return Size(self.bytes + more.bytes, self.tokens + more.tokens)


@dataclass(frozen=True, slots=True)
class Both:
    """The same, as a model is sent it and as it would be with everything that the trace holds."""

    compact: Size = Size()
    full: Size = Size()

    def __add__(self, more: Both) -> Both:
        return Both(self.compact + more.compact, self.full + more.full)


@dataclass(frozen=True, slots=True)
class Sent:
    """``requests``: whole ones, of all turns. ``results``: the tools' part of them. ``once``: each result of
    the last turn, by tool. ``new_tokens``: what no earlier request of the run began with."""

    requests: Both
    results: Both
    once: dict[str, Both]
    new_tokens: int


def sent(turns: Sequence[Turn]) -> Sent:
    pairs = [_pair(_provider().request(turn), turn) for turn in turns]
    return Sent(
        requests=sum((Both(_request(compact), _request(whole)) for compact, whole in pairs), Both()),
        results=sum((both for pair in pairs for _, both in _results(*pair)), Both()),
        once=_by_tool(turns[-1], *pairs[-1]),
        new_tokens=_new_tokens([compact for compact, _ in pairs]),
    )


@cache
def _provider() -> OpenAIChat:
    """Never asked for a reply: only what it would send is looked at."""
    return OpenAIChat(Connection(model="bench", api_key="bench"))


def with_hits(turns: Sequence[Turn], most: int) -> list[Turn]:
    """The same turns, had each search given ``most`` hits."""
    return [replace(turn, messages=tuple(_cut(message, most) for message in turn.messages)) for turn in turns]


def _cut(message: Message, most: int) -> Message:
    if isinstance(message, ToolReturn) and isinstance(message.result, DocumentsFound | EvidenceFound):
        return replace(message, result=replace(message.result, hits=message.result.hits[:most]))
    return message


def _pair(request: Request, turn: Turn) -> tuple[Request, Request]:
    """The request, and what it would be with its results in full."""
    returned = iter([message for message in turn.messages if isinstance(message, ToolReturn)])
    messages = [
        message | {"content": dumps(full(next(returned).result))} if message["role"] == "tool" else message
        for message in request["messages"]
    ]
    return request, request | {"messages": messages}


def _results(compact: Request, whole: Request) -> Iterator[tuple[str, Both]]:
    for short, long in zip(compact["messages"], whole["messages"], strict=True):
        if short["role"] == "tool":
            yield short["tool_call_id"], Both(_text(short["content"]), _text(long["content"]))


def _by_tool(turn: Turn, compact: Request, whole: Request) -> dict[str, Both]:
    names = {message.call_id: message.name for message in turn.messages if isinstance(message, ToolReturn)}
    found: dict[str, Both] = {}
    for call_id, both in _results(compact, whole):
        found[names[call_id]] = found.get(names[call_id], Both()) + both
    return found


def _request(request: Request) -> Size:
    return Size(len(_json(request).encode()), sum(map(_tokens, _read(request))))


def _read(request: Request) -> Iterator[str]:
    """The texts that a model gets to read; what its server writes between them is its own."""
    if "tools" in request:
        yield _json(request["tools"])
    for message in request["messages"]:
        yield message["content"] or ""
        for call in message.get("tool_calls", ()):
            yield call["function"]["name"] + call["function"]["arguments"]


def _new_tokens(requests: Sequence[Request]) -> int:
    """Tokens from the first text on that the request before did not have at the same place."""
    before: list[str] = []
    total = 0
    for request in requests:
        texts = list(_read(request))
        kept = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(before, texts, strict=False))))
        total += sum(map(_tokens, texts[kept:]))
        before = texts
    return total


def _text(text: str) -> Size:
    """Bytes as inside of a request's JSON."""
    return Size(len(_json(text).encode()), _tokens(text))


def _json(value: Any) -> str:
    """As the client writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@cache
def _vocabulary() -> splintr.Tokenizer:
    return splintr.Tokenizer.from_pretrained("o200k_base")


@cache
def _tokens(text: str) -> int:
    return len(_vocabulary().encode_ordinary(text))
