"""How long the append of one step takes, with its commit.

``measure`` makes a site; ``appends`` works inside of it, in its shell.
"""

from __future__ import annotations

import datetime
import json
import time
from pathlib import Path

from tests.benchmarks.reporting_runs import Row, milliseconds
from tests.databases import new_database
from tests.site import Site

STEPS = 1000
INSIDE = "from tests.benchmarks import runs_steps; runs_steps.appends()"


def measure(folder: Path, corpus: Path) -> list[Row]:
    home = folder / "steps"
    site = Site(home, new_database(home, None), DOFPILOT_CORPUS=str(corpus))
    for command in (["migrate", "-v", "0"], ["shell", "-v", "0", "-c", INSIDE]):
        done = site.manage(*command)
        assert done.returncode == 0, done.stderr
    return [
        (
            f"append of one step of 2 KB, p50 / p95 of {STEPS}",
            milliseconds(json.loads(done.stdout), 1),
            "p95 5 ms",
        )
    ]


def appends() -> None:
    """Print as JSON the milliseconds of each append."""
    # Django is there only inside of the site.
    from dofpilot.access.people import console_user
    from dofpilot.agent.events import Event, EventKind
    from runs import lifecycle
    from runs.models import Run

    asked = {"question": "¿Qué dice la norma?", "as_of": datetime.date(2026, 4, 24), "required_hops": 1}
    run = Run(evaluator=console_user(), client_request_id="bench", provenance={}, **asked)
    lifecycle.create(run)
    lease = lifecycle.claim(run, "bench")
    event = Event(EventKind.TOOL_COMPLETED, {"message": "Leyó un pasaje", "why": "", "text": "x" * 2000})
    times = []
    for number in range(1, STEPS + 1):
        began = time.perf_counter()
        lifecycle.append(lease, event, [(number, b"x" * 2000)])
        times.append((time.perf_counter() - began) * 1000)
    print(json.dumps(times))
