"""A process of its own that asks many questions at once: ``python -m tests.runs.asking_at_once``.

Each line of JSON on its way in is answered by one. ``{"people": [...]}`` stores people, ``{"end": true}``
ends the runs that there are, ``{"asks": [[pseudonym, request id], ...]}`` answers ``"ready"``, waits for a
line, asks all of them in as many threads and tells in that order what came of each: ``{"run", "created"}`` or
the refusal, ``{"code", "status", "retry_after"}``.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import django


def main() -> None:
    django.setup()
    for line in sys.stdin:
        order = json.loads(line)
        if "people" in order:
            say(store(order["people"]))
        else:
            say(end_all() if "end" in order else ask_all(order["asks"]))


def store(people: list[str]) -> int:
    from tests.cast import asker

    for name in people:
        asker(name)
    return len(people)


def end_all() -> int:
    from runs import lifecycle

    ended = 0
    while lease := lifecycle.claim_next("tests", at_most=1):
        lifecycle.succeed(lease, {"answer": None})
        ended += 1
    return ended


def ask_all(asks: list[list[str]]) -> list[dict[str, Any]]:
    together = Barrier(len(asks), timeout=60)
    with ThreadPoolExecutor(len(asks)) as threads:
        say("ready")
        sys.stdin.readline()
        return list(threads.map(lambda one: ask(*one, together), asks))


def ask(name: str, request_id: str, together: Barrier) -> dict[str, Any]:
    from django.db import connection

    from dofpilot.access.models import User
    from dofpilot.access.problems import Problem
    from runs.admission import admit
    from runs.requests import parse

    asked = {"question": "¿Qué dice la norma?", "as_of": "2026-04-24", "client_request_id": request_id}
    try:
        who = User.objects.get(username=name)
        together.wait()
        admitted = admit(who, parse(asked))
        return {"run": str(admitted.run.pk), "created": admitted.created}
    except Problem as problem:
        return {"code": problem.code, "status": problem.status, "retry_after": problem.retry_after}
    finally:
        connection.close()


def say(what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
