"""A run's recording on its way into the database and back. It is private: see ``runs.models``.

The bodies of a run's entries, in order, are one zstd stream of the lines of its transcript, the ending left
out, flushed after each line; after an interruption another stream follows. A request to a model repeats the
one before it nearly whole and takes the room of what is new in it; reading gives back exactly what was
recorded. A stream lacks its end and reads as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import zstandard
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce, Length

from dofpilot.agent.errors import FailureCode
from dofpilot.agent.outcome import StopReason
from dofpilot.agent.recording.entries import CorpusCall, Entry
from dofpilot.agent.recording.recorder import Recorder
from dofpilot.agent.recording.transcript import Ending, Header, Transcript, TranscriptError, line_of, read
from dofpilot.agent.spending import Spent
from runs.lifecycle import Piece
from runs.models import TERMINAL, Run, State, TranscriptEntry, Transition

LEVEL = 3


class NoTranscript(Exception):
    """There is none to be had of this run; the text says why, in Spanish."""


@dataclass(slots=True)
class Recording:
    """What is recorded of one run, in pieces for ``runs.lifecycle``.

    Pieces are handed out until somebody says that they were ``stored``: one that was lost would make all
    later ones unreadable. For the same reason, since a signal may end anything half way, a part counts as
    packed by its piece alone, and a stream that was left half way is not written to again.
    """

    recorder: Recorder = field(default_factory=Recorder)
    _header: Header | None = None
    _stream: zstandard.ZstdCompressionObj | None = None
    _pieces: list[Piece] = field(default_factory=list)
    _stored: int = 0

    def begin(self, header: Header) -> None:
        """Before anything is noted."""
        self._header = header

    def take(self) -> Sequence[Piece]:
        """What is to be stored by now."""
        parts = [] if self._header is None else [self._header, *self.recorder.entries]
        for part in parts[len(self._pieces) :]:
            self._pack(part)
        return self._pieces[self._stored :]

    def stored(self) -> None:
        """All that was handed out is in the database."""
        self._stored = len(self._pieces)

    def spent(self) -> Spent:
        """The turns of what was noted."""
        spent = Spent(began=0)
        for entry in self.recorder.entries:
            if isinstance(entry, CorpusCall):
                spent.turns[-1].tools_seconds += entry.seconds
            else:
                turn = spent.begin_turn()
                turn.usage, turn.provider_seconds = entry.usage, entry.seconds
        return spent

    def _pack(self, part: Header | Entry) -> None:
        stream, self._stream = self._stream or zstandard.ZstdCompressor(LEVEL).compressobj(), None
        body = stream.compress(line_of(part).encode())
        body += stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        self._pieces.append((len(self._pieces) + 1, body))
        self._stream = stream


@dataclass(frozen=True, slots=True)
class Stored:
    """How many runs have a recording, in how many pieces, and their bytes as stored."""

    runs: int
    pieces: int
    bytes: int


def stored(runs: QuerySet[Run]) -> Stored:
    """Of those of ``runs`` that have ended."""
    entries = TranscriptEntry.objects.filter(run__in=runs.filter(claim__isnull=True))
    found = entries.aggregate(
        runs=Count("run", distinct=True), pieces=Count("pk"), bytes=Coalesce(Sum(Length("body")), 0)
    )
    return Stored(**found)


def transcript_of(run: Run) -> Transcript:
    """The whole recording of a run that has ended.

    Raises ``NoTranscript``, also for one that is still active, and ``TranscriptError`` for a damaged one.
    """
    ended = run.transitions.filter(state__in=TERMINAL).first()
    if ended is None:
        raise NoTranscript("la investigación no ha terminado")
    bodies = list(run.transcript.order_by("sequence").values_list("body", flat=True))
    if not bodies:
        raise NoTranscript(_why_none(run))
    # Not ``splitlines``: texts of the gazette hold other characters that it takes for ends of lines.
    (transcript,) = read([*text_of(bodies).split("\n"), line_of(_ending(run, ended))])
    return transcript


def _why_none(run: Run) -> str:
    """A step is never stored without what led to it."""
    if run.progress.exists():
        return "se borró"
    return "la investigación terminó antes de que hubiera algo que grabar, o se borró"


def text_of(bodies: Iterable[bytes]) -> str:
    """The lines of a transcript without its ending. Raises ``TranscriptError``."""
    try:
        return b"".join(_decompressed(bodies)).decode()
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise TranscriptError(1, "", f"the stored entries are damaged: {error}") from error


def _decompressed(bodies: Iterable[bytes]) -> Iterator[bytes]:
    stream = zstandard.ZstdDecompressor().decompressobj()
    for body in map(bytes, bodies):
        # No block can begin like this: read as the head of one, it tells a size beyond the largest.
        if body.startswith(zstandard.FRAME_HEADER):
            stream = zstandard.ZstdDecompressor().decompressobj()
        yield stream.decompress(body)


def _ending(run: Run, ended: Transition) -> Ending:
    events = run.progress.count()
    if ended.state == State.FAILED:
        return Ending(events, FailureCode(ended.failure), None)
    return Ending(events, None, StopReason(ended.payload["result"]["stop_reason"]))
