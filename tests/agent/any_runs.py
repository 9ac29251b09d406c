"""Whatever may befall a run: any replies, delays on a clock of its own, stops, faults of the corpus."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from dofpilot.agent.conversation import Draft, Reply, ToolRequest, Turn, Usage
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.scripted import ScriptedProvider
from dofpilot.agent.recording.recorder import Recorder
from dofpilot.agent.runner import run
from dofpilot.corpus.errors import CorpusUnavailable, IntegrityError, InvalidRequest
from dofpilot.corpus.types import Retrieval, Strategy
from tests.agent.any_replies import beginnings, contents, failures, usages
from tests.agent.asking import AS_OF, LIMITS, QUESTION, Log
from tests.agent.fake_corpus import FakeCorpus, gazette

UNKNOWN = Usage()
COMPARING = "Compara el salario mínimo de 2025 y 2026."
ABOUT_NOTHING = "¿Cuánto es el salario mínimo según la NOM-099-STPS-2099?"


@dataclass
class Clock:
    """Seconds that pass only when somebody says so."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Move:
    """What the provider does in one turn: it takes a ``share`` of the turn's seconds, then replies or fails.

    One that ``hangs`` lets the whole turn pass; one that ``stops`` has the run stopped while it thinks.
    """

    content: ToolRequest | Draft
    usage: Usage = UNKNOWN
    share: float = 0.0
    failure: FailureCode | None = None
    hangs: bool = False
    stops: FailureCode | None = None


@dataclass(frozen=True)
class Call:
    """What one operation of the corpus takes, and the error that it ends with."""

    seconds: float = 0.0
    error: Exception | None = None


@dataclass(frozen=True)
class Plan:
    """``stop_after``: so many events, and the run is asked to stop with ``stop_code``.

    ``retrievals`` are what its searches tell of themselves, one after the other.
    """

    moves: tuple[Move, ...]
    limits: Limits = LIMITS
    hops: int = 1
    question: str = QUESTION
    strategy: Strategy = Strategy.LEXICAL
    calls: tuple[Call, ...] = ()
    retrievals: tuple[Retrieval, ...] = ()
    stop_after: int | None = None
    stop_code: FailureCode = FailureCode.CANCELLED


@dataclass
class Ended:
    """A run that is over, with its provider let go: ``late`` is what was reported after the end."""

    plan: Plan
    log: Log
    provider: ScriptedProvider
    corpus: "PlannedCorpus"
    clock: Clock
    outcome: Outcome | None = None
    failure: FailureCode | None = None
    late: list[Any] = field(default_factory=list)


class PlannedCorpus(FakeCorpus):
    """The small gazette, slow and faulty as planned."""

    def __init__(self, plan: Plan, clock: Clock) -> None:
        super().__init__(gazette().documents, retrievals=list(plan.retrievals))
        self.planned = plan.calls
        self.clock = clock

    def _called(self, operation: str) -> None:
        super()._called(operation)
        if len(self.calls) <= len(self.planned):
            call = self.planned[len(self.calls) - 1]
            self.clock.now += call.seconds
            if call.error is not None:
                raise call.error


def play(plan: Plan, recorder: Recorder | None = None, clock: Clock | None = None) -> Ended:
    """Carry out a plan, with a recorder of it or without."""
    clock = clock or Clock()
    before, log, released, stop = threading.enumerate(), Log(), threading.Event(), []
    provider = ScriptedProvider([_step(move, clock, released, stop) for move in plan.moves])
    ended = Ended(plan, log, provider, PlannedCorpus(plan, clock), clock)

    def should_stop() -> FailureCode | None:
        if stop:
            return stop[0]
        return plan.stop_code if plan.stop_after is not None and len(log.events) >= plan.stop_after else None

    corpus = recorder.reader(ended.corpus) if recorder else ended.corpus
    asked = plan.question, AS_OF, plan.hops, provider, corpus, plan.limits, log
    how: dict[str, Any] = {"strategy": plan.strategy, "should_stop": should_stop, "clock": clock}
    if recorder:
        how["respond"] = recorder.respond
    try:
        ended.outcome = run(*asked, **how)
    except AgentFailure as failure:
        ended.failure = failure.code
    reported = len(log.events)
    released.set()
    for thread in threading.enumerate():
        # Those of other tests may hang for ever.
        if thread.name == "provider-call" and thread not in before:
            thread.join(5)
    ended.late = log.events[reported:]
    return ended


def _step(
    move: Move, clock: Clock, released: threading.Event, stop: list[FailureCode]
) -> Callable[[Turn], Reply]:
    def respond(turn: Turn) -> Reply:
        clock.now += turn.seconds * (1 if move.hangs else move.share)
        if move.stops:
            stop.append(move.stops)
        if move.hangs or move.stops:
            released.wait()
        if move.failure:
            raise AgentFailure(move.failure, "planned", usage=move.usage)
        return Reply(move.content, move.usage)

    return respond


shares = st.sampled_from([0.0, 0.0, 0.1, 0.5, 0.9])
smooth = st.builds(Move, contents, usages, shares)
rough = st.one_of(
    smooth,
    st.builds(Move, contents, usages, shares, failure=failures),
    st.builds(Move, contents, usages, hangs=st.just(True)),
    st.builds(
        Move,
        contents,
        usages,
        shares,
        stops=st.sampled_from([FailureCode.CANCELLED, FailureCode.INTERRUPTED]),
    ),
)
moves = st.tuples(
    beginnings.map(lambda start: [Move(content) for content in start]),
    st.lists(st.sampled_from([smooth] * 7 + [rough]).flatmap(lambda kind: kind), min_size=8, max_size=8),
).map(lambda parts: (*parts[0], *parts[1]))
errors = st.sampled_from(
    [None] * 12 + [CorpusUnavailable("gone"), IntegrityError("flipped"), InvalidRequest("query", "no sirve")]
)
calls = st.lists(st.builds(Call, st.sampled_from([0.0] * 6 + [1.5, 40.0, 400.0]), errors), max_size=8).map(
    tuple
)
words = st.text(max_size=8)
retrievals = st.builds(
    Retrieval,
    st.just(Strategy.HYBRID),
    st.sampled_from(Strategy),
    fallback=st.sampled_from(["", "el servidor no contesta"]),
    corrections=st.lists(st.tuples(words, words), max_size=2).map(tuple),
    terms=st.frozensets(words, max_size=4),
    vector_share=st.sampled_from([0.0, 1 / 3, 1.0]),
)
limits = st.builds(
    Limits,
    turns=st.sampled_from([8, 8, 6, 4, 1]),
    tool_calls=st.sampled_from([8, 8, 3, 0]),
    document_searches=st.sampled_from([3, 1, 0]),
    turn_seconds=st.sampled_from([90.0, 20.0, 400.0]),
    run_seconds=st.sampled_from([300.0, 60.0]),
    revise_figures=st.booleans(),
)
plans = st.builds(
    Plan,
    moves,
    limits,
    hops=st.integers(1, 2),
    question=st.sampled_from([QUESTION, QUESTION, COMPARING, ABOUT_NOTHING]),
    strategy=st.sampled_from(Strategy),
    calls=calls,
    retrievals=st.lists(retrievals, max_size=3).map(tuple),
    stop_after=st.one_of(st.none(), st.none(), st.integers(0, 20)),
    stop_code=failures,
)
