"""How much a run may do. Reaching a limit is an outcome with a name, never an exception."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Counts per run; seconds per model turn and per run.

    ``revise_figures``: an answer with figures that no cited passage says is sent back once.
    """

    turns: int = 8
    tool_calls: int = 8
    document_searches: int = 3
    turn_seconds: float = 90.0
    run_seconds: float = 300.0
    revise_figures: bool = False

    @property
    def closing_seconds(self) -> float:
        """What is kept of a run's time to write an answer with what was read by then."""
        return min(self.turn_seconds, self.run_seconds / 4)
