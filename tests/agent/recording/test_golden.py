"""A recording that is kept replays to the events that are kept, byte for byte.

Whoever changes what a run says on purpose remakes both files, and reads the difference:
``python -m tests.agent.recording.remake``.
"""

from dofpilot.agent.outcome import StopReason
from dofpilot.agent.recording.replaying import replay
from dofpilot.agent.recording.transcript import load, write
from tests.agent.asking import Log
from tests.agent.recording.remake import REPORTED, TRANSCRIPT, reported


def test_the_golden_recording_replays_to_the_golden_events():
    (transcript,) = load(TRANSCRIPT)
    log = Log()
    outcome = replay(transcript, log)
    assert "".join(reported(log.events, outcome)).encode() == REPORTED.read_bytes()
    assert outcome.stop_reason is StopReason.ANSWERED


def test_the_golden_recording_is_written_as_it_is_read():
    (transcript,) = load(TRANSCRIPT)
    assert "".join(write(transcript)).encode() == TRANSCRIPT.read_bytes()
