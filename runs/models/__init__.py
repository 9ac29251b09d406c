"""The tables of a question's life, and those that say how the work on it goes."""

from __future__ import annotations

from runs.models.life import (
    HOPS_MAX,
    HOPS_MIN,
    QUESTION_MAX,
    QUESTION_MIN,
    TERMINAL,
    Claim,
    Progress,
    Run,
    RunQuerySet,
    State,
    TranscriptEntry,
    Transition,
)
from runs.models.operation import AdmissionChange, ProviderHealth, ProviderState, Worker

__all__ = [
    "HOPS_MAX",
    "HOPS_MIN",
    "QUESTION_MAX",
    "QUESTION_MIN",
    "TERMINAL",
    "AdmissionChange",
    "Claim",
    "Progress",
    "ProviderHealth",
    "ProviderState",
    "Run",
    "RunQuerySet",
    "State",
    "TranscriptEntry",
    "Transition",
    "Worker",
]
