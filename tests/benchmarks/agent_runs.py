"""Runs of the extractive baseline, with what each turn was told and where the time went."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dofpilot.agent import patience
from dofpilot.agent.conversation import Reply, Turn
from dofpilot.agent.events import Event
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.extractive import Extractive
from dofpilot.agent.reader import Reader
from dofpilot.agent.recording.entries import Operation
from dofpilot.agent.recording.operations import OneDoor
from dofpilot.agent.recording.recorder import Recorder
from dofpilot.agent.runner import Clock, run
from dofpilot.harness.cases import Case


@dataclass
class Watched:
    """A provider that keeps each turn it was given."""

    provider: Extractive = field(default_factory=Extractive)
    turns: list[Turn] = field(default_factory=list)

    @property
    def identity(self) -> ProviderIdentity:
        return self.provider.identity

    def respond(self, turn: Turn) -> Reply:
        self.turns.append(turn)
        return self.provider.respond(turn)


@dataclass
class Timed(OneDoor):
    """A corpus that counts the seconds spent in it, by the run's clock."""

    reader: Reader
    clock: Clock
    seconds: float = 0.0

    def carry_out(self, operation: Operation, **arguments: Any) -> Any:
        began = self.clock()
        try:
            return getattr(self.reader, operation)(**arguments)
        finally:
            self.seconds += self.clock() - began


@dataclass(frozen=True, slots=True)
class Played:
    case: Case
    turns: tuple[Turn, ...]
    outcome: Outcome
    corpus_ms: float

    @property
    def outside_ms(self) -> float:
        """Worked, but neither waiting for the provider nor in the corpus: checking calls, judging answers,
        telling steps and, where the run was recorded, noting what came back."""
        timing = self.outcome.timing
        return timing.worked_ms - timing.provider_ms - self.corpus_ms


def rounds(
    corpus: Reader,
    cases: Sequence[Case],
    times: int,
    clock: Clock = time.monotonic,
    *,
    recorded: bool = False,
) -> list[Played]:
    """Every case, and all of them ``times`` over; ``clock`` is the runs'. What is recorded is not stored."""
    return [_played(corpus, case, clock, recorded) for _ in range(times) for case in cases]


def _played(corpus: Reader, case: Case, clock: Clock, recorded: bool) -> Played:
    watched, timed = Watched(), Timed(corpus, clock)
    recorder = Recorder(clock) if recorded else None
    asked = (case.question, case.as_of, case.required_hops)
    outcome = run(
        *asked,
        watched,
        recorder.reader(timed) if recorder else timed,
        Limits(),
        _deaf,
        clock=clock,
        respond=recorder.respond if recorder else patience.respond,
    )
    return Played(case, tuple(watched.turns), outcome, timed.seconds * 1000)


def _deaf(_event: Event) -> None:
    """A listener that takes no time."""
