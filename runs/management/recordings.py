"""For the commands about recordings: a run by its identifier, its transcript or why there is none."""

from __future__ import annotations

import uuid

from django.core.management.base import CommandError

from dofpilot.access.prepared import check_prepared
from dofpilot.agent.recording.transcript import Transcript, TranscriptError
from runs.models import Run
from runs.terminal import harmless
from runs.transcripts import NoTranscript, transcript_of

BAD_INPUT = 2


def recorded_run(identifier: str) -> Run:
    """Raises ``CommandError`` for what is no run."""
    check_prepared()
    try:
        return Run.objects.get(pk=uuid.UUID(identifier))
    except ValueError:
        fault = f"«{harmless(identifier)}» no es el identificador de una investigación"
    except Run.DoesNotExist:
        fault = f"no hay ninguna investigación {harmless(identifier)}"
    raise CommandError(f"{fault[0].upper()}{fault[1:]}.", returncode=BAD_INPUT)


def stored_transcript(run: Run) -> Transcript:
    """Raises ``CommandError`` with the reason why there is none."""
    try:
        return transcript_of(run)
    except NoTranscript as reason:
        raise CommandError(f"No hay grabación de {run.pk}: {reason}.") from None
    except TranscriptError as error:
        raise CommandError(f"La grabación de {run.pk} está dañada: {error}") from None
