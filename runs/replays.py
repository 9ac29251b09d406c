"""A run executed again from its transcript and held against what was stored of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.events import Event
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.recording.replaying import Diverged, replay, without_times
from dofpilot.agent.recording.transcript import Transcript
from dofpilot.agent.render.public import public_result
from runs.costs import Captured, with_cost
from runs.models import Run, State

ABSENT = "—"


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that is not as it was stored; ``stored`` and ``again`` are JSON, or ``ABSENT``."""

    where: str
    stored: str
    again: str


@dataclass(slots=True)
class Replayed:
    """``diverged``: why the replay did not come to the recorded end. ``result``: without cost and times."""

    steps: list[tuple[str, Any]] = field(default_factory=list)
    outcome: Outcome | None = None
    diverged: str = ""


def again(transcript: Transcript) -> Replayed:
    """Execute a transcript's run, with neither provider nor corpus."""
    replayed = Replayed()

    def listen(event: Event) -> None:
        replayed.steps.append((event.kind.value, event.payload))

    try:
        replayed.outcome = replay(transcript, listen)
    except Diverged as diverged:
        replayed.diverged = str(diverged)
    except AgentFailure:
        # Its code is the recorded one, or the replay would have diverged.
        pass
    except Exception:
        # A fault of the program comes again where it came before; any other is news.
        if transcript.ending.failure is not FailureCode.INTERNAL_ERROR:
            raise
    return replayed


def difference(run: Run, replayed: Replayed) -> Difference | None:
    """Between what is stored of a run that has ended and its replay: steps first, then the result."""
    stored = [(step.kind, step.payload) for step in run.progress.order_by("sequence")]
    for number, (kind, payload) in enumerate(stored, start=1):
        steps = replayed.steps[number - 1 : number]
        repeated = {"kind": steps[0][0], "payload": steps[0][1]} if steps else None
        if found := _compared({"kind": kind, "payload": payload}, repeated, f"paso {number} ({kind})"):
            return found
    if len(replayed.steps) > len(stored):
        return Difference(f"paso {len(stored) + 1}", ABSENT, canonical(replayed.steps[len(stored)]))
    ended = run.transitions.filter(state=State.SUCCEEDED).first()
    price = {**run.provenance, **ended.payload["provenance"]}.get("price") if ended else None
    result = ended and without_times(ended.payload["result"])
    return _compared(result, _result(replayed.outcome, price), "resultado")


def canonical(value: Any) -> str:
    """The one JSON of a value."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _result(outcome: Outcome | None, price: Captured | None) -> Any:
    if outcome is None:
        return None
    result = without_times(public_result(outcome))
    return result | {"usage": with_cost(result["usage"], outcome.turns, price)}


def _compared(stored: Any, repeated: Any, where: str) -> Difference | None:
    return None if canonical(stored) == canonical(repeated) else _narrowed(stored, repeated, where)


def _narrowed(stored: Any, repeated: Any, where: str) -> Difference:
    """The innermost part that differs; something in the two does."""
    match stored, repeated:
        case dict(), dict():
            parts = [(f".{key}", key) for key in sorted({*stored, *repeated})]
        case list() | tuple(), list() | tuple():
            parts = [(f"[{place}]", place) for place in range(max(len(stored), len(repeated)))]
        case _:
            return Difference(where, canonical(stored), canonical(repeated))
    for name, key in parts:
        try:
            inner = stored[key], repeated[key]
        except LookupError:
            return Difference(where + name, _part(stored, key), _part(repeated, key))
        if canonical(inner[0]) != canonical(inner[1]):
            return _narrowed(*inner, where + name)
    raise AssertionError("two values that differ have a part that does")


def _part(whole: Any, key: Any) -> str:
    try:
        return canonical(whole[key])
    except LookupError:
        return ABSENT
