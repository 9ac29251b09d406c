"""Counted tokens, where the formats and their servers keep them. What is not said stays unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from dofpilot.agent.conversation import Usage, WireCall
from dofpilot.agent.providers.openai_reading import an_object

_FIRST_FAILURE = 300
# No request takes as many, and no database counts them.
_TOO_MANY = 10**12


class UsageKeys(NamedTuple):
    """``cached`` and ``reasoning`` are paths under ``usage``, by dots; the first with a count is taken."""

    input: str
    output: str
    cached: tuple[str, ...]
    reasoning: tuple[str, ...]


CHAT = UsageKeys(
    "prompt_tokens",
    "completion_tokens",
    # OpenAI and most others; Kimi; DeepSeek.
    ("prompt_tokens_details.cached_tokens", "cached_tokens", "prompt_cache_hit_tokens"),
    ("completion_tokens_details.reasoning_tokens",),
)
RESPONSES = UsageKeys(
    "input_tokens",
    "output_tokens",
    ("input_tokens_details.cached_tokens",),
    ("output_tokens_details.reasoning_tokens",),
)


def spent(calls: Sequence[WireCall], keys: UsageKeys) -> Usage:
    """Of all requests of a turn: a reply that was of no use has been paid for too, and so may have been one
    that never came. A refusal costs nothing unless it says so."""
    usages = [(call, _usage(call.reply, keys)) for call in calls]
    paid = [used for call, used in usages if used.told or not _refused(call)]
    total = sum(paid, Usage())
    return replace(total, partial=any(used.told != total.told for used in paid))


def _refused(call: WireCall) -> bool:
    return call.status is not None and call.status >= _FIRST_FAILURE


def _usage(body: Any, keys: UsageKeys) -> Usage:
    """``Usage()`` for a body that tells nothing."""
    counts = an_object(an_object(body).get("usage"))
    read, written = _count(counts, keys.input), _count(counts, keys.output)
    return Usage(read, written, _part(counts, keys.cached, read), _part(counts, keys.reasoning, written))


def _part(counts: Any, paths: tuple[str, ...], whole: int | None) -> int | None:
    """A part that is larger than its whole is counted by other rules, and says nothing."""
    found = next((count for path in paths if (count := _count(counts, path)) is not None), None)
    return None if found is not None and whole is not None and found > whole else found


def _count(counts: Any, path: str) -> int | None:
    value = counts
    for name in path.split("."):
        value = an_object(value).get(name)
    told = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _TOO_MANY
    return value if told else None
