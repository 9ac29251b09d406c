"""What the lifecycle ought to do, without a database, and what is stored, in the same words."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from dofpilot.agent.errors import FailureCode
from runs.models import Claim, Progress, Run, State, Transition

QUEUED, STARTED, SUCCEEDED = (State.QUEUED.value, ""), (State.STARTED.value, ""), (State.SUCCEEDED.value, "")


class Place(NamedTuple):
    evaluator: int
    worker: str
    is_taken: bool
    is_cancelling: bool


class Life(NamedTuple):
    """A run as stored: its transitions as (sequence, state, failure), its steps' sequences, its place."""

    evaluator: int
    transitions: tuple[tuple[int, str, str], ...]
    steps: tuple[int, ...]
    place: Place | None


@dataclass
class Known:
    """A run as it ought to be."""

    evaluator: int
    states: list[tuple[str, str]] = field(default_factory=lambda: [QUEUED])
    steps: int = 0
    worker: str = ""
    is_cancelling: bool = False

    @property
    def is_waiting(self) -> bool:
        return self.states == [QUEUED]

    @property
    def is_at_work(self) -> bool:
        return self.states[-1] == STARTED

    @property
    def has_ended(self) -> bool:
        return not (self.is_waiting or self.is_at_work)

    def start(self, worker: str) -> None:
        self.states.append(STARTED)
        self.worker = worker

    def fail(self, code: FailureCode) -> None:
        self.states.append((State.FAILED.value, code.value))

    def cancel(self) -> None:
        if self.is_waiting:
            self.fail(FailureCode.CANCELLED)
        elif self.is_at_work:
            self.is_cancelling = True

    def life(self) -> Life:
        place = Place(self.evaluator, self.worker, self.is_at_work, self.is_cancelling)
        return Life(
            self.evaluator,
            tuple((number, *state) for number, state in enumerate(self.states, start=1)),
            tuple(range(1, self.steps + 1)),
            None if self.has_ended else place,
        )


def stored() -> dict[UUID, Life]:
    """All runs, from the database."""
    transitions, steps = defaultdict(list), defaultdict(list)
    for run, *change in Transition.objects.order_by("id").values_list("run", "sequence", "state", "failure"):
        transitions[run].append(tuple(change))
    for run, sequence in Progress.objects.order_by("id").values_list("run", "sequence"):
        steps[run].append(sequence)
    places = {claim.run_id: _place(claim) for claim in Claim.objects.all()}
    return {
        run: Life(evaluator, tuple(transitions[run]), tuple(steps[run]), places.get(run))
        for run, evaluator in Run.objects.values_list("id", "evaluator")
    }


def faults(lives: dict[UUID, Life], *, at_most: int, queue_limit: int) -> list[str]:
    """Which promises these rows break, whatever brought them about."""
    places = [life.place for life in lives.values() if life.place]
    people = [place.evaluator for place in places]
    found = [fault for life in lives.values() if (fault := _fault(life))]
    if sum(place.is_taken for place in places) > at_most:
        found.append("too many at work")
    if len(places) > queue_limit:
        found.append("too many in the queue")
    if len(people) != len(set(people)):
        found.append("two active runs of one evaluator")
    return found


def _place(claim: Claim) -> Place:
    cancelling = claim.cancel_requested_at is not None
    return Place(claim.evaluator_id, claim.worker, claim.token is not None, cancelling)


def _fault(life: Life) -> str | None:
    states = [state for _sequence, state, _failure in life.transitions]
    shape = (states, None if life.place is None else life.place.is_taken)
    if shape not in SHAPES:
        return f"neither waiting, nor at work, nor ended once: {shape}"
    if [sequence for sequence, *_state in life.transitions] != list(range(1, len(states) + 1)):
        return "a gap among the transitions"
    if list(life.steps) != list(range(1, len(life.steps) + 1)):
        return "a gap among the steps"
    if life.steps and "started" not in states:
        return "a step of a run that never started"
    if life.place and life.place.evaluator != life.evaluator:
        return "somebody else's place"
    return None


# The states that a run went through, and whether its claim is taken; ``None``: it has none.
SHAPES = [
    (["queued"], False),
    (["queued", "started"], True),
    (["queued", "failed"], None),
    (["queued", "started", "failed"], None),
    (["queued", "started", "succeeded"], None),
]
