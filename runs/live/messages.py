"""The message on a run's group, and the names of the groups."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any, TypedDict

from runs.models import Progress, Transition
from runs.public import public_step

QUEUE_GROUP = "queue"  # hears that some run changed its state, so that places in the queue moved


class Changed(TypedDict):
    """``steps`` are public steps in order; ``state`` is the run's new state, if it changed."""

    type: str
    run: str
    steps: list[dict[str, Any]]
    state: str | None


def group_of(run_id: uuid.UUID) -> str:
    return f"run.{run_id}"


def changed(run_id: uuid.UUID, steps: Iterable[Progress] = (), change: Transition | None = None) -> Changed:
    return {
        "type": "run.changed",
        "run": str(run_id),
        "steps": [public_step(step) for step in steps],
        "state": change.state if change else None,
    }
