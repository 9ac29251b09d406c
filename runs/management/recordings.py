"""For the commands about recordings: a run by its identifier, its transcript or why there is none."""

from __future__ import annotations

import uuid

from django.core.management.base import CommandError, OutputWrapper

from dofpilot.access.prepared import check_prepared
from dofpilot.agent.recording.transcript import Transcript, TranscriptError
from runs.models import Run
from runs.terminal import harmless
from runs.transcripts import NoTranscript, transcript_of

BAD_INPUT = 2


def in_utf8(*streams: OutputWrapper) -> None:
    """Write so whatever the locale, which may have no accents: what is written is a file for any machine.

    A stream that is no file of the system takes any text as it is.
    """
    for stream in streams:
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(encoding="utf-8", errors="backslashreplace")


def recorded_run(identifier: str) -> Run:
    """Raises ``CommandError`` for what is no run."""
    check_prepared()
    if run := known_run(identifier):
        return run
    raise CommandError(f"No hay ninguna investigación «{harmless(identifier)}».", returncode=BAD_INPUT)


def known_run(identifier: str) -> Run | None:
    """``None`` also for what is no identifier of a run at all."""
    try:
        return Run.objects.filter(pk=uuid.UUID(identifier)).first()
    except ValueError:
        return None


def stored_transcript(run: Run) -> Transcript:
    """Raises ``CommandError`` with the reason why there is none."""
    try:
        return transcript_of(run)
    except NoTranscript as reason:
        raise CommandError(f"No hay grabación de {run.pk}: {reason}.") from None
    except TranscriptError as error:
        raise CommandError(f"La grabación de {run.pk} está dañada: {error}") from None
