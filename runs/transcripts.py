"""A run's recording on its way into the database and back. It is private: see ``runs.models``.

The bodies of a run's entries, in order, are one zstd stream of the lines of its transcript, the ending left
out, flushed after each line. A request to a model repeats the one before it nearly whole and takes the room
of what is new in it; reading gives back exactly what was recorded. The stream of a run that was killed lacks
its end and reads as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import zstandard

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.recording.entries import CorpusCall, Entry
from dofpilot.agent.recording.recorder import Recorder
from dofpilot.agent.recording.transcript import Ending, Header, Transcript, TranscriptError, line_of, read
from dofpilot.agent.spending import Spent
from runs.lifecycle import Piece
from runs.models import TERMINAL, Run, State, Transition

LEVEL = 3


class NoTranscript(Exception):
    """There is none to be had of this run; the text says why, in Spanish."""


@dataclass(slots=True)
class Recording:
    """What is recorded of one run, in pieces for ``runs.lifecycle``.

    Pieces are handed out until somebody says that they were ``stored``: one that was lost would make all
    later ones unreadable. ``spent`` counts the turns of what was handed out.
    """

    recorder: Recorder = field(default_factory=Recorder)
    spent: Spent = field(default_factory=lambda: Spent(began=0))
    _stream: zstandard.ZstdCompressionObj = field(
        default_factory=lambda: zstandard.ZstdCompressor(LEVEL).compressobj()
    )
    _packed: int = 0
    _waiting: list[Piece] = field(default_factory=list)

    def begin(self, header: Header) -> None:
        self._pack(header)

    def take(self) -> Sequence[Piece]:
        """What is to be stored by now."""
        for entry in self.recorder.take():
            self._count(entry)
            self._pack(entry)
        return tuple(self._waiting)

    def stored(self) -> None:
        """All that was handed out is in the database."""
        self._waiting.clear()

    def _count(self, entry: Entry) -> None:
        if isinstance(entry, CorpusCall):
            self.spent.turns[-1].tools_seconds += entry.seconds
            return
        turn = self.spent.begin_turn()
        turn.usage, turn.provider_seconds = entry.usage, entry.seconds

    def _pack(self, part: Header | Entry) -> None:
        body = self._stream.compress(line_of(part).encode())
        body += self._stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        self._packed += 1
        self._waiting.append((self._packed, body))


def transcript_of(run: Run) -> Transcript:
    """The whole recording of a run that has ended.

    Raises ``NoTranscript``, also for one that is still active, and ``TranscriptError`` for a damaged one.
    """
    ended = run.transitions.filter(state__in=TERMINAL).first()
    if ended is None:
        raise NoTranscript("la investigación no ha terminado")
    bodies = list(run.transcript.order_by("sequence").values_list("body", flat=True))
    if not bodies:
        raise NoTranscript("la investigación terminó antes de que hubiera algo que grabar")
    (transcript,) = read([*_lines(bodies), line_of(_ending(run, ended))])
    return transcript


def _lines(bodies: Iterable[bytes]) -> list[str]:
    stream = zstandard.ZstdDecompressor().decompressobj()
    try:
        text = b"".join(stream.decompress(bytes(body)) for body in bodies).decode()
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise TranscriptError(1, "", f"the stored entries are damaged: {error}") from error
    # Not ``splitlines``: texts of the gazette hold other characters that it takes for ends of lines.
    return text.split("\n")


def _ending(run: Run, ended: Transition) -> Ending:
    events = run.progress.count()
    if ended.state == State.FAILED:
        return Ending(events, FailureCode(ended.failure), None)
    return Ending(events, None, StopReason(ended.payload["result"]["stop_reason"]))
