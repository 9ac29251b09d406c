"""What a run takes of its own where it is stored: neither waiting for its provider nor in a tool.

It works inside a site: ``from tests.benchmarks import runs_stored; runs_stored.measure()`` in its shell.
"""

from __future__ import annotations

import json
import time
from functools import partial
from unittest.mock import patch

from dofpilot.access.people import console_user
from dofpilot.agent import runner
from dofpilot.agent.runner import Clock
from dofpilot.harness.cases import Case, read_cases
from runs import admission
from runs.models import State
from runs.requests import RunRequest
from runs.work import execution
from tests.site import ROOT

QUESTIONS = ROOT / "evaluation" / "sets" / "muestra.jsonl"
ROUNDS = 3


def measure() -> None:
    """Print as JSON the milliseconds of each run, by the wall's clock and by that of this thread, which
    stands while others have the machine."""
    cases = read_cases(QUESTIONS)
    # A worker has answered others before.
    _rounds(cases, 1, time.perf_counter)
    print(json.dumps([_rounds(cases, ROUNDS, clock) for clock in (time.perf_counter, time.thread_time)]))


def _rounds(cases: list[Case], count: int, clock: Clock) -> list[float]:
    with patch.object(runner, "run", partial(runner.run, clock=clock)):
        return [_outside(case, clock) for _ in range(count) for case in cases]


def _outside(case: Case, clock: Clock) -> float:
    request = RunRequest(question=case.question, as_of=case.as_of, required_hops=case.required_hops)
    lease = admission.admit_for_console(console_user(), request, "bench")
    began = clock()
    execution.execute(lease)
    took = (clock() - began) * 1000
    timing = lease.run.transitions.get(state=State.SUCCEEDED).payload["result"]["timing"]
    return took - timing["provider_ms"] - timing["tools_ms"]
