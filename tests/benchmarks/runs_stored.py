"""What a run takes of its own where it is stored: neither waiting for its provider nor in a tool.

Runs inside a site: ``manage.py shell -c "from tests.benchmarks import runs_stored; runs_stored.measure()"``
"""

from __future__ import annotations

import json
import time

from dofpilot.access.people import console_user
from dofpilot.harness.cases import Case, read_cases
from runs import admission, execution
from runs.models import Run, State
from runs.requests import RunRequest
from tests.site import ROOT

QUESTIONS = ROOT / "evaluation" / "sets" / "muestra.jsonl"
ROUNDS = 4


def measure() -> None:
    """Print, as JSON, the milliseconds of each run; those of a first round warm the process up."""
    cases = read_cases(QUESTIONS)
    found = [[_outside(case) for case in cases] for _ in range(1 + ROUNDS)]
    print(json.dumps(sum(found[1:], [])))


def _outside(case: Case) -> float:
    request = RunRequest(question=case.question, as_of=case.as_of, required_hops=case.required_hops)
    lease = admission.admit_for_console(console_user(), request, "bench")
    began = time.perf_counter()
    execution.execute(lease)
    took = (time.perf_counter() - began) * 1000
    timing = (
        Run.objects.get(pk=lease.run.pk).transitions.get(state=State.SUCCEEDED).payload["result"]["timing"]
    )
    return took - timing["provider_ms"] - timing["tools_ms"]
