"""A step that is committed after a later one: ``python -m tests.faults.late_commit`` on an empty PostgreSQL.

Prints what a web process's tailer finds in three looks as JSON, each a list of people: while ana's step waits
for its commit and berta's later one is there, after ana's commit, and once more.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import django

PATIENCE = 60


def main() -> None:
    django.setup()
    from runs import lifecycle
    from runs.live.tailer import _Follower
    from runs.models import Progress
    from tests.cast import asker, waiting_run

    ana, berta = (lifecycle.claim(waiting_run(asker(name)), "w") for name in ("ana", "berta"))
    follower: _Follower[Progress] = _Follower(Progress)
    follower.start_at_the_end()
    written, may_commit = Event(), Event()
    with ThreadPoolExecutor(1) as other:
        late = other.submit(append_late, ana, written, may_commit)
        written.wait(PATIENCE)
        append(berta)
        looks = [follower.new()]
        may_commit.set()
        late.result()
    looks += [follower.new(), follower.new()]
    json.dump([[step.run.evaluator.username for step in look] for look in looks], sys.stdout)


def append(lease) -> None:
    from dofpilot.agent.events import Event as Step
    from dofpilot.agent.events import EventKind
    from runs import lifecycle

    lifecycle.append(lease, Step(EventKind.AGENT_STARTED, {"message": "Empieza", "why": ""}))


def append_late(lease, written: Event, may_commit: Event) -> None:
    from django.db import connection, transaction

    try:
        with transaction.atomic():
            append(lease)
            written.set()
            assert may_commit.wait(PATIENCE)
    finally:
        # A thread has its own connection.
        connection.close()


if __name__ == "__main__":
    main()
