"""A signal may end a run between any two steps of its recording, and all that was noted can still be read."""

from __future__ import annotations

import contextlib
import sys
from datetime import date

from dofpilot.agent.conversation import Usage
from dofpilot.agent.limits import Limits
from dofpilot.agent.providers.base import ProviderIdentity
from dofpilot.agent.recording.entries import CorpusCall, Exchange, Operation
from dofpilot.agent.recording.transcript import Header, line_of
from dofpilot.corpus.types import Strategy
from runs import transcripts
from runs.transcripts import Recording, text_of

WHO = ProviderIdentity("scripted", "scripted-1", generative=True)
HEADER = Header("run", "¿Cuánto?", date(2026, 4, 24), 1, WHO, Limits(), Strategy.LEXICAL, None, {})
ENTRIES = (
    Exchange(1, 0.0, 0.5, (), (), None, Usage(10, 5), None, ()),
    CorpusCall(Operation.READ_CHUNKS, {"chunk_ids": [1]}, ["315.04 pesos"], None, 0.1),
    Exchange(2, 0.6, 0.5, (), (), None, Usage(20, 5), None, ()),
    Exchange(3, 1.2, 0.5, (), (), None, Usage(30, 5), None, ()),
)


class Storage:
    """What a database does: a piece that comes again is stored once."""

    def __init__(self) -> None:
        self.bodies: dict[int, bytes] = {}

    def store(self, recording: Recording) -> None:
        for sequence, body in recording.take():
            self.bodies.setdefault(sequence, body)
        recording.stored()

    @property
    def text(self) -> str:
        assert sorted(self.bodies) == list(range(1, len(self.bodies) + 1))
        return text_of(self.bodies[sequence] for sequence in sorted(self.bodies))


class Interrupted:
    """A Ctrl-C at the ``place``-th step of the recording's code; ``came`` when there was such a step."""

    def __init__(self, place: int) -> None:
        self.left = place
        self.came = False

    def __enter__(self) -> Interrupted:
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _trace(self, frame, event, _argument):
        if frame.f_code.co_filename != transcripts.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.left -= 1
            if self.left == 0:
                self.came = True
                raise KeyboardInterrupt
        return self._trace


def note(recording, noted, *entries):
    for entry in entries:
        recording.recorder.note(entry)
        noted.append(entry)


def record(recording, storage, noted):
    """The way of a recording, with no entry, two and one between its steps; ``noted``: how far it came."""
    storage.store(recording)
    note(recording, noted, *ENTRIES[:2])
    storage.store(recording)
    note(recording, noted, ENTRIES[2])
    storage.store(recording)


def interrupted_at(place):
    """Whether there was such a place, what had been noted in the end, and the text of all that was stored."""
    recording, storage, noted = Recording(), Storage(), []
    recording.begin(HEADER)
    with contextlib.suppress(KeyboardInterrupt), Interrupted(place) as interrupted:
        record(recording, storage, noted)
    # As at the end of a run, after it may have noted something more.
    note(recording, noted, ENTRIES[3])
    storage.store(recording)
    return interrupted.came, noted, storage.text


def test_it_is_read_back_whole_wherever_it_was_interrupted():
    place, came = 0, True
    while came:
        place += 1
        came, noted, text = interrupted_at(place)
        assert text == "".join(map(line_of, [HEADER, *noted])), place
    assert place > 100
