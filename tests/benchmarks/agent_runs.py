"""Runs of the extractive baseline, with what each turn was told and where the time went."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from dofpilot.agent.conversation import Reply, Turn
from dofpilot.agent.events import Event
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.providers.extractive import Extractive
from dofpilot.agent.runner import Clock, run
from dofpilot.corpus.corpus import Corpus
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


@dataclass(frozen=True, slots=True)
class Played:
    case: Case
    turns: tuple[Turn, ...]
    outcome: Outcome

    @property
    def outside_ms(self) -> int:
        """Worked, but neither waiting for the provider nor in a tool."""
        timing = self.outcome.timing
        return timing.worked_ms - timing.provider_ms - timing.tools_ms


def rounds(corpus: Corpus, cases: Sequence[Case], times: int, clock: Clock = time.monotonic) -> list[Played]:
    """Every case, and all of them ``times`` over; ``clock`` is the runs'."""
    return [_played(corpus, case, clock) for _ in range(times) for case in cases]


def _played(corpus: Corpus, case: Case, clock: Clock) -> Played:
    watched, asked = Watched(), (case.question, case.as_of, case.required_hops)
    outcome = run(*asked, watched, corpus, Limits(), _deaf, clock=clock)
    return Played(case, tuple(watched.turns), outcome)


def _deaf(_event: Event) -> None:
    """A listener that takes no time."""
