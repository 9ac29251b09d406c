"""How much a run may do. Reaching a limit is an outcome with a name, never an exception."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Counts per run; seconds per model turn and per run."""

    turns: int = 8
    tool_calls: int = 8
    document_searches: int = 3
    turn_seconds: float = 90.0
    run_seconds: float = 300.0
