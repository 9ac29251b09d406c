"""A provider that gives again the replies of recorded runs, over whatever corpus is there now.

Nothing is asked of a model, so a site shows what its model did without a key. The place in a recording
follows from the conversation, not from a counter, so one provider may serve several runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from dofpilot.agent.conversation import Question, Reply, Turn
from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.recording.entries import Exchange, number
from dofpilot.agent.recording.transcript import Transcript

T = TypeVar("T")

SEVERAL = "varios"
# Somebody ended that run; this one goes on.
_STOPS = frozenset({FailureCode.CANCELLED, FailureCode.INTERRUPTED})


class RecordedProvider:
    """Answers the questions of ``transcripts``, each with the replies of its last recording.

    A question is known by its text, its cut-off and its hops. One that is not recorded, and a turn that
    the recording has no reply for, fail with ``provider_refused``, since trying again never helps; a recorded
    failure fails again. The tokens are those of then; no request goes over a wire.
    """

    def __init__(self, transcripts: Sequence[Transcript]) -> None:
        self._exchanges = {transcript.header.asked: _exchanges(transcript) for transcript in transcripts}
        recorded = [transcript.header.identity for transcript in transcripts]
        self._identity = ProviderIdentity(
            "recorded",
            _only((one.model for one in recorded), SEVERAL),
            any(one.generative for one in recorded),
            _only((one.reasoning_effort for one in recorded), None),
        )

    @property
    def identity(self) -> ProviderIdentity:
        return self._identity

    def respond(self, turn: Turn) -> Reply:
        exchange = self._exchange(turn)
        if exchange.reply is not None:
            return Reply(exchange.reply, exchange.usage)
        failure = exchange.failure
        code = FailureCode.PROVIDER_REFUSED if failure is None or failure in _STOPS else failure
        reason = f"turn {exchange.turn} has no reply in its transcript"
        raise AgentFailure(code, reason, usage=exchange.usage)

    def _exchange(self, turn: Turn) -> Exchange:
        asked = next(message for message in turn.messages if isinstance(message, Question))
        exchanges = self._exchanges.get(asked)
        if exchanges is None:
            raise AgentFailure(FailureCode.PROVIDER_REFUSED, "no transcript holds this question")
        if (place := number(turn)) > len(exchanges):
            raise AgentFailure(FailureCode.PROVIDER_REFUSED, f"the question's transcript has no turn {place}")
        return exchanges[place - 1]


def _exchanges(transcript: Transcript) -> tuple[Exchange, ...]:
    # What went over the wire is most of a recording, and is not given again.
    return tuple(replace(entry, calls=()) for entry in transcript.entries if isinstance(entry, Exchange))


def _only(values: Iterable[T], other: T) -> T:
    """The one value that all of them are, else ``other``."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else other
