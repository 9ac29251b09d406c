"""What a run uses up on its way: time, turns, tokens."""

from __future__ import annotations

from dataclasses import dataclass, field

from dofpilot.agent.conversation import Usage
from dofpilot.agent.outcome import Timing, TurnSpent


@dataclass(slots=True)
class Turned:
    """One turn, while it lasts. Seconds."""

    usage: Usage = field(default_factory=Usage)
    provider_seconds: float = 0.0
    tools_seconds: float = 0.0

    def told(self) -> TurnSpent:
        return TurnSpent(self.usage, _milliseconds(self.provider_seconds), _milliseconds(self.tools_seconds))


@dataclass(slots=True)
class Spent:
    """``began`` and ``ended`` are readings of the run's clock, in seconds."""

    began: float
    ended: float = 0.0
    turns: list[Turned] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        return sum((turn.usage for turn in self.turns), Usage())

    def begin_turn(self) -> Turned:
        self.turns.append(Turned())
        return self.turns[-1]

    def told(self) -> tuple[TurnSpent, ...]:
        return tuple(turn.told() for turn in self.turns)

    def timing(self) -> Timing:
        return Timing(
            worked_ms=_milliseconds(self.ended - self.began),
            provider_ms=_milliseconds(sum(turn.provider_seconds for turn in self.turns)),
            tools_ms=_milliseconds(sum(turn.tools_seconds for turn in self.turns)),
        )


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
