"""Remake the golden recording: ``python -m tests.agent.recording.remake``.

A scripted run over the sample corpus, with a clock of its own, so that the files change only where what is
recorded or reported does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dofpilot.agent.conversation import Reply, Turn, Usage, WireCall
from dofpilot.agent.events import Event
from dofpilot.agent.limits import Limits
from dofpilot.agent.outcome import Outcome
from dofpilot.agent.providers.script import ScriptStep, play
from dofpilot.agent.providers.scripted import ScriptedProvider
from dofpilot.agent.recording.recorder import Recorder
from dofpilot.agent.recording.replaying import without_times
from dofpilot.agent.recording.transcript import Ending, Header, Transcript, write
from dofpilot.agent.render.public import public_result
from dofpilot.agent.render.trace import dumps
from dofpilot.agent.runner import run
from dofpilot.corpus.building import builder
from dofpilot.corpus.corpus import Corpus
from dofpilot.corpus.types import Strategy
from tests.agent.any_runs import Clock
from tests.agent.asking import AS_OF, Log

SAMPLE = Path(__file__).parents[3] / "dofpilot" / "corpus" / "sample"
GOLDEN = Path(__file__).parent / "golden"
TRANSCRIPT = GOLDEN / "salario.transcript.jsonl"
REPORTED = GOLDEN / "salario.events.jsonl"

QUESTION = "¿De cuánto es el salario mínimo general de 2026 y cuándo se publicó la resolución?"
LIMITS = Limits(run_seconds=200.0)
STEPS: list[dict[str, Any]] = [
    {"tool": "list_publications", "arguments": {"date_from": "2025-12-01", "date_to": "null", "limit": "2"}},
    {"tool": "search_documents", "arguments": {"query": "salarios minimos vijentes 2026", "limit": 2}},
    {"tool": "read_chunks", "arguments": {"chunk_ids": [1]}},
    {
        "tool": "search_evidence",
        "arguments": {"query": "salario mínimo general", "document_ids": ["$documents[2]"], "limit": 2},
    },
    {"tool": "read_chunks", "arguments": {"chunk_ids": ["$chunks[2]"]}},
    {"text": "El salario mínimo general es de 315.04 pesos diarios."},
    {
        "answer": {
            "answer": "El salario mínimo general de 2026 es de 315.04 pesos diarios [$read[0]].",
            "citations": ["$read[0]", 1],
            "premise_status": "supported",
        }
    },
]


def reported(events: list[Event], outcome: Outcome) -> Iterator[str]:
    """The lines of the file that a replay must give again: the events, then the public result."""
    for event in events:
        yield f"{dumps({'kind': event.kind.value, 'payload': event.payload})}\n"
    yield f"{dumps({'result': without_times(public_result(outcome))})}\n"


def record(corpus: Corpus) -> tuple[Transcript, Log, Outcome]:
    clock, log = Clock(), Log()
    recorder = Recorder(clock)
    provider = ScriptedProvider([_step(place, clock) for place in range(len(STEPS))])
    header = Header(
        "golden", QUESTION, AS_OF, 1, provider.identity, LIMITS, Strategy.LEXICAL, None, {"corpus": "muestra"}
    )
    outcome = run(
        QUESTION,
        AS_OF,
        1,
        provider,
        recorder.reader(corpus),
        LIMITS,
        log,
        clock=clock,
        respond=recorder.respond,
    )
    ending = Ending(len(log.events), None, outcome.stop_reason)
    return Transcript(header, tuple(recorder.entries), ending), log, outcome


def _step(place: int, clock: Clock) -> Callable[[Turn], Reply]:
    """The reply at a place of the script, after half a minute less each time, and what it cost."""
    asked = play([ScriptStep.model_validate(STEPS[place])], None)

    def respond(turn: Turn) -> Reply:
        clock.now += 25 + place
        usage = Usage(1000 + 500 * place, 40, 900 * place, None)
        call = WireCall({"model": "scripted", "turn": place + 1}, 25.0 + place, 200, {"id": f"r-{place + 1}"})
        return replace(asked(turn), usage=usage, calls=(call,))

    return respond


def main() -> None:
    with TemporaryDirectory() as folder:
        out = Path(folder) / "muestra"
        builder.build(SAMPLE, out, version="muestra")
        with Corpus.open(out) as corpus:
            transcript, log, outcome = record(corpus)
    TRANSCRIPT.write_text("".join(write(transcript)), encoding="utf-8")
    REPORTED.write_text("".join(reported(log.events, outcome)), encoding="utf-8")


if __name__ == "__main__":
    main()
