"""A database with a run in each state, and raw SQL against it: what ``test_promises`` tries."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import connection

from dofpilot.access.models import User
from dofpilot.agent.events import Event, EventKind
from feedback.models import Rating
from feedback.service import give
from runs import lifecycle
from runs.models import AdmissionChange, Claim, Run
from tests.cast import AS_OF, PROVENANCE, asker, waiting_run

STEP = Event(EventKind.TOOL_STARTED, {"message": "Busca", "why": "Primero"})


@dataclass(frozen=True)
class Promise:
    """``refused`` breaks it; ``allowed`` comes near it and must go on working.

    ``:name`` stands for a value of the scene.
    """

    says: str
    refused: str
    allowed: str


def scene() -> dict[str, Any]:
    """The rows that the statements name, in a new database; name -> value as the database writes it."""
    waiting, cancelled = waiting_run(asker("ana")), waiting_run(asker("dora"))
    working, ended = (lifecycle.claim(waiting_run(asker(name)), "w") for name in ("beto", "carla"))
    for lease in (working, ended):
        lifecycle.append(lease, STEP, [(1, b"a")])
        lifecycle.append(lease, STEP, [(2, b"b")])
    lifecycle.succeed(ended, {"answer": None})
    lifecycle.cancel(cancelled)
    give(ended.run, ended.run.evaluator, Rating.HELPFUL, [], "")
    AdmissionChange.objects.create(is_open=False, reason="Mantenimiento")
    runs = {"waiting": waiting, "working": working.run, "ended": ended.run, "cancelled": cancelled}
    values = _values({**runs, **_unusual(waiting.evaluator)})
    # PostgreSQL truncates no table of which a key is still to be looked at.
    connection.check_constraints()
    return values


def execute(statement: str, values: dict[str, Any]) -> int:
    """How many rows it touched."""
    with connection.cursor() as cursor:
        cursor.execute(re.sub(r":(\w+)", r"%(\1)s", statement), values)
        return cursor.rowcount


def everything() -> dict[str, list[dict[str, Any]]]:
    """All rows of the two apps."""
    models = [model for app in ("runs", "feedback") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: list(model.objects.order_by("pk").values()) for model in models}


def run(evaluator: str, request_id: str = "'new'", id_: str = ":new_id", verb: str = "INSERT") -> str:
    return (
        f"{verb} INTO runs_run "
        "(id, evaluator_id, client_request_id, question, as_of, required_hops, provenance, created_at) "
        f"VALUES ({id_}, :evaluator_of_{evaluator}, {request_id}, 'otra', '2026-04-24', 1, '{{}}', "
        "CURRENT_TIMESTAMP)"
    )


def transition(of: str, sequence: int, state: str, failure: str = "", verb: str = "INSERT") -> str:
    return (
        f"{verb} INTO runs_transition (run_id, sequence, state, failure, payload, created_at) "
        f"VALUES (:{of}, {sequence}, '{state}', '{failure}', '{{}}', CURRENT_TIMESTAMP)"
    )


def step(of: str, sequence: int, verb: str = "INSERT") -> str:
    return (
        f"{verb} INTO runs_progress (run_id, sequence, kind, payload, created_at) "
        f"VALUES (:{of}, {sequence}, 'tool_started', '{{}}', CURRENT_TIMESTAMP)"
    )


def entry(of: str, sequence: int, verb: str = "INSERT") -> str:
    return (
        f"{verb} INTO runs_transcriptentry (run_id, sequence, body, created_at) "
        f"VALUES (:{of}, {sequence}, 'x', CURRENT_TIMESTAMP)"
    )


def claim(of: str, evaluator: str, verb: str = "INSERT") -> str:
    return (
        f"{verb} INTO runs_claim (run_id, evaluator_id, worker) VALUES (:{of}, :evaluator_of_{evaluator}, '')"
    )


def _unusual(busy: User) -> dict[str, Run]:
    """What the lifecycle never leaves behind, since it writes the rest in the same transaction."""
    placed, taken = _bare(asker("fina")), waiting_run(asker("hugo"))
    Claim.objects.create(run=placed, evaluator=placed.evaluator)
    Claim.objects.filter(run=taken).update(token=uuid.uuid4())
    return {"placed": placed, "taken": taken, "bare": _bare(asker("eva")), "second": _bare(busy)}


def _bare(evaluator: User) -> Run:
    """A run of which no more is stored than its own row."""
    asked = {"question": "¿Qué dice la norma?", "as_of": AS_OF, "provenance": PROVENANCE}
    return Run.objects.create(evaluator=evaluator, client_request_id="bare", **asked)


def _values(runs: dict[str, Run]) -> dict[str, Any]:
    written = Claim._meta.get_field("token").get_db_prep_value
    people = {f"evaluator_of_{name}": run.evaluator_id for name, run in runs.items()}
    ids = {name: written(run.pk, connection) for name, run in runs.items()}
    new = {name: written(uuid.uuid4(), connection) for name in ("new_id", "new_token")}
    return {**ids, **people, **new, "idle": asker("gil").pk}
