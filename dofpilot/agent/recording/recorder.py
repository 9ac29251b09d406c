"""Recording a run as it goes: what its provider replies and what its corpus returns."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dofpilot.agent import patience
from dofpilot.agent.conversation import UNTOLD, Reply, Turn
from dofpilot.agent.errors import AgentFailure
from dofpilot.agent.providers.base import Provider
from dofpilot.agent.reader import Reader
from dofpilot.agent.recording.entries import CorpusCall, CorpusFault, Entry, Exchange, Operation, number
from dofpilot.agent.recording.operations import OneDoor
from dofpilot.agent.render.trace import full
from dofpilot.corpus.errors import CorpusError

Clock = Callable[[], float]


@dataclass(slots=True)
class Recorder:
    """The entries of one run, noted in the run's thread: a reply that comes too late is nobody's.

    ``runner.run`` takes ``respond`` and a ``reader``. ``clock`` gives seconds; ``entries`` are in order and
    only grow.
    """

    clock: Clock = time.monotonic
    entries: list[Entry] = field(default_factory=list)

    def respond(self, provider: Provider, turn: Turn, clock: Clock, check: Callable[[], None]) -> Reply:
        """As ``patience.respond``; what the run got of it is noted, also when that was nothing."""
        began = self.clock()
        try:
            reply = patience.respond(provider, turn, clock, check)
        except BaseException as end:
            failure = end if isinstance(end, AgentFailure) else None
            self.note(_exchange(turn, self.clock() - began, None, failure))
            raise
        self.note(_exchange(turn, self.clock() - began, reply, None))
        return reply

    def reader(self, reader: Reader) -> Reader:
        """``reader``, with what it returns and refuses noted."""
        return _NotedReader(reader, self)

    def note(self, entry: Entry) -> None:
        self.entries.append(entry)


def _exchange(turn: Turn, seconds: float, reply: Reply | None, failure: AgentFailure | None) -> Exchange:
    came = reply or failure
    return Exchange(
        turn=number(turn),
        elapsed=turn.elapsed,
        seconds=seconds,
        tools=tuple(spec.name for spec in turn.tools),
        missing=turn.missing,
        reply=reply.content if reply else None,
        usage=came.usage if came else UNTOLD,
        failure=failure.code if failure else None,
        calls=came.calls if came else (),
    )


@dataclass(frozen=True, slots=True)
class _NotedReader(OneDoor):
    reader: Reader
    recorder: Recorder

    def carry_out(self, operation: Operation, **arguments: Any) -> Any:
        began = self.recorder.clock()

        def note(returned: Any, fault: CorpusFault | None) -> None:
            seconds = self.recorder.clock() - began
            self.recorder.note(CorpusCall(operation, full(arguments), returned, fault, seconds))

        try:
            returned = getattr(self.reader, operation)(**arguments)
        except CorpusError as error:
            note(None, CorpusFault.of(error))
            raise
        note(full(returned), None)
        return returned
