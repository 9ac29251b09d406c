"""Runs recorded and executed again, in tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import StringIO
from typing import Any

from dofpilot.agent.errors import AgentFailure, FailureCode
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.recording.entries import CorpusCall, Exchange
from dofpilot.agent.recording.recorder import Recorder
from dofpilot.agent.recording.replaying import replay, without_times
from dofpilot.agent.recording.transcript import Ending, Header, Transcript, read, write
from dofpilot.agent.render.public import public_result
from dofpilot.agent.render.trace import dumps
from tests.agent.any_runs import Clock, Ended, Plan, play
from tests.agent.asking import AS_OF, Log


@dataclass
class Taped:
    ended: Ended
    transcript: Transcript


def tape(plan: Plan) -> Taped:
    """Carry out a plan and record it; what is recorded has been written out and read back."""
    recorder = Recorder(clock := Clock())
    ended = play(plan, recorder, clock)
    header = Header(
        run_id="1",
        question=plan.question,
        as_of=AS_OF,
        required_hops=plan.hops,
        identity=ended.provider.identity,
        limits=plan.limits,
        strategy=plan.strategy,
        given_up=None,
        about={"versión": "1"},
    )
    reason = ended.outcome.stop_reason if ended.outcome else None
    ending = Ending(len(ended.log.events), ended.failure, reason)
    return Taped(ended, through_a_file(Transcript(header, tuple(recorder.entries), ending)))


def through_a_file(transcript: Transcript) -> Transcript:
    (same,) = read(StringIO("".join(write(transcript))))
    return same


def exchanges(transcript: Transcript) -> list[Exchange]:
    return [entry for entry in transcript.entries if isinstance(entry, Exchange)]


def corpus_calls(transcript: Transcript) -> list[CorpusCall]:
    return [entry for entry in transcript.entries if isinstance(entry, CorpusCall)]


def changed(transcript: Transcript, place: int, **changes: Any) -> Transcript:
    """With other values in the entry at ``place``."""
    entries = list(transcript.entries)
    entries[place] = replace(entries[place], **changes)
    return replace(transcript, entries=tuple(entries))


@dataclass
class Replayed:
    log: Log
    outcome: Outcome | None = None
    failure: FailureCode | None = None


def replayed(transcript: Transcript) -> Replayed:
    again = Replayed(Log())
    try:
        again.outcome = replay(transcript, again.log)
    except AgentFailure as failure:
        again.failure = failure.code
    return again


def told(run: Ended | Replayed) -> str:
    """All that a run told anybody, as one text: its events, and its result without times or its failure."""
    events = [[event.kind, event.payload] for event in run.log.events]
    result = without_times(public_result(run.outcome)) if run.outcome else run.failure
    return dumps([events, result])
