"""Executing a run again from its recording: the same runner, with neither its provider nor its corpus."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dofpilot.agent.conversation import Reply, Turn
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.events import Event, EventKind, OnEvent
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.recording.entries import CorpusCall, Exchange, Operation, number
from dofpilot.agent.recording.operations import RETURNS, OneDoor
from dofpilot.agent.recording.transcript import Ending, Transcript
from dofpilot.agent.render.trace import NotRestorable, dumps, full, restored
from dofpilot.agent.retrieval import Searches
from dofpilot.agent.runner import run


class Diverged(Exception):
    """The run does not go as it was recorded; ``str(error)`` says where."""


def replay(transcript: Transcript, on_event: OnEvent) -> Outcome:
    """Execute a run again: the same events, and the same outcome but for its times.

    Raises ``AgentFailure`` with the same code for a run that failed, where it failed, and ``Diverged`` when
    this program does with the recording something else than what was recorded. Any other error is a fault of
    the program, in the run as it is again in the replay.
    """
    header = transcript.header
    again = _Again(transcript, on_event)
    try:
        outcome = run(
            header.question,
            header.as_of,
            header.required_hops,
            _RecordedProvider(again),
            _RecordedReader(again),
            header.limits,
            again.emit,
            strategy=header.strategy,
            searches=Searches(given_up=header.given_up),
            should_stop=again.should_stop,
            clock=again.clock,
        )
    except AgentFailure as failure:
        again.failed(failure)
        raise
    again.finished(outcome)
    return outcome


def without_times(result: dict[str, Any]) -> dict[str, Any]:
    """A public result without the milliseconds, which no replay repeats."""
    usage = result["usage"]
    turns = [{key: turn[key] for key in turn if not key.endswith("_ms")} for turn in usage["per_turn"]]
    kept = {key: value for key, value in result.items() if key != "timing"}
    return kept | {"usage": usage | {"per_turn": turns}}


@dataclass(slots=True)
class _Again:
    """How far a replay is in its recording. ``turns`` and ``calls`` count those that have begun."""

    transcript: Transcript
    on_event: OnEvent
    exchanges: tuple[Exchange, ...] = field(init=False)
    corpus_calls: tuple[CorpusCall, ...] = field(init=False)
    events: int = 0
    turns: int = 0
    calls: int = 0

    def __post_init__(self) -> None:
        entries = self.transcript.entries
        self.exchanges = tuple(entry for entry in entries if isinstance(entry, Exchange))
        self.corpus_calls = tuple(entry for entry in entries if isinstance(entry, CorpusCall))

    @property
    def ending(self) -> Ending:
        return self.transcript.ending

    @property
    def over(self) -> bool:
        """The run had published all its events by now; only a failed one can have got further."""
        return self.events >= self.ending.events

    def emit(self, event: Event) -> None:
        if self.over:
            self.stop()
            raise Diverged(f"a step that was not recorded: {event.kind}")
        self.events += 1
        self.turns += event.kind is EventKind.MODEL_TURN_STARTED
        self.on_event(event)

    def should_stop(self) -> FailureCode | None:
        return self.ending.failure if self.over else None

    def stop(self) -> None:
        """Fail as the run did, when this is where it did."""
        if (code := self.should_stop()) is not None:
            raise AgentFailure(code, "the recorded run failed here")

    def clock(self) -> float:
        """Seconds since the start, the same for the whole of a turn: as many as the turn was told."""
        if self.events == 0:
            return 0.0
        if self.turns < len(self.exchanges):
            return self.exchanges[self.turns].elapsed
        return self._elapsed_at_end()

    def _elapsed_at_end(self) -> float:
        """After the last recorded exchange: the run's time was over, or its process was killed in a turn,
        which began no sooner than what is recorded took."""
        if self.ending.failure is None:
            return self.transcript.header.limits.run_seconds
        elapsed = 0.0
        for entry in self.transcript.entries:
            elapsed = entry.seconds + (entry.elapsed if isinstance(entry, Exchange) else elapsed)
        return elapsed

    def failed(self, failure: AgentFailure) -> None:
        """Raise ``Diverged`` unless this is the failure that was recorded."""
        if isinstance(failure.__cause__, Diverged):
            raise failure.__cause__
        if failure.code is not self.should_stop():
            after = f"after {self.events} of {self.ending.events} steps"
            raise Diverged(f"it failed {after} with {failure.code}: {failure}") from failure

    def finished(self, outcome: Outcome) -> None:
        """Raise what the run failed with after its last step, or ``Diverged`` unless it ended like this."""
        self.stop()
        if not self.over or outcome.stop_reason is not self.ending.stop_reason:
            raise Diverged(
                f"it ended after {self.events} of {self.ending.events} steps: {outcome.stop_reason}"
            )
        if (self.turns, self.calls) != (len(self.exchanges), len(self.corpus_calls)):
            raise Diverged(f"it ended after {self.turns} turns and {self.calls} calls of the corpus")


@dataclass(frozen=True, slots=True)
class _RecordedProvider:
    again: _Again

    @property
    def identity(self) -> ProviderIdentity:
        return self.again.transcript.header.identity

    def respond(self, turn: Turn) -> Reply:
        exchange = self._exchange(turn)
        if exchange.reply is None:
            code = exchange.failure or FailureCode.INTERRUPTED
            raise AgentFailure(code, "no reply was recorded", exchange.calls, exchange.usage)
        return Reply(exchange.reply, exchange.usage, exchange.calls)

    def _exchange(self, turn: Turn) -> Exchange:
        place = number(turn)
        if place > len(self.again.exchanges):
            self.again.stop()
            raise Diverged(f"turn {place} was not recorded")
        exchange = self.again.exchanges[place - 1]
        told = tuple(spec.name for spec in turn.tools), turn.missing
        if told != (exchange.tools, exchange.missing):
            raise Diverged(f"turn {place} offers {told}, recorded {exchange.tools, exchange.missing}")
        return exchange


@dataclass(frozen=True, slots=True)
class _RecordedReader(OneDoor):
    again: _Again

    def carry_out(self, operation: Operation, **arguments: Any) -> Any:
        call = self._call(operation, full(arguments))
        if call.error is not None:
            raise call.error.error()
        try:
            return restored(RETURNS[operation], call.returned, "returned")
        except NotRestorable as fault:
            raise Diverged(f"call {self.again.calls} ({operation}): {fault}") from fault

    def _call(self, operation: Operation, arguments: dict[str, Any]) -> CorpusCall:
        again = self.again
        if again.calls == len(again.corpus_calls):
            again.stop()
            raise Diverged(f"call {again.calls + 1} ({operation}) was not recorded")
        call = again.corpus_calls[again.calls]
        again.calls += 1
        if (call.operation, call.arguments) != (operation, arguments):
            recorded = f"{call.operation} {dumps(call.arguments)}"
            raise Diverged(f"call {again.calls} is {operation} {dumps(arguments)}, recorded {recorded}")
        return call
