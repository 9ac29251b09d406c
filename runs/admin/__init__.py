"""The admin of runs: what was asked and how it went, and how the site works now."""

from __future__ import annotations

from runs.admin.operation import AdmissionChangeAdmin, ProviderHealthAdmin, WorkerAdmin
from runs.admin.runs import ClaimAdmin, InvitationWithRunsAdmin, ProgressAdmin, RunAdmin, TransitionAdmin

__all__ = [
    "AdmissionChangeAdmin",
    "ClaimAdmin",
    "InvitationWithRunsAdmin",
    "ProgressAdmin",
    "ProviderHealthAdmin",
    "RunAdmin",
    "TransitionAdmin",
    "WorkerAdmin",
]
