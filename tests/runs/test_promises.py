"""What the database refuses whoever asks, by raw SQL, one promise at a time, on SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from tests.runs import promises
from tests.runs.promises import Promise, claim, entry, everything, execute, run, step, transition
from tests.site import Site

pytestmark = pytest.mark.django_db

CANCEL_WAITING = transition("waiting", 2, "failed", "cancelled")
TAKE_WAITING = "UPDATE runs_claim SET token = :new_token, worker = 'w' WHERE run_id = :waiting"
BEAT = "UPDATE runs_claim SET heartbeat_at = CURRENT_TIMESTAMP WHERE run_id = :working"
FORGET = "DELETE FROM runs_transcriptentry WHERE run_id = :ended"
PAUSE = "INSERT INTO runs_admissionchange (is_open, reason, created_at) VALUES (TRUE, '', CURRENT_TIMESTAMP)"
OPINION = (
    "INSERT INTO feedback_feedback (run_id, evaluator_id, rating, problems, comment, created_at) "
    "VALUES (:ended, :evaluator_of_ended, 'helpful', '[]', '', CURRENT_TIMESTAMP)"
)
SUCCEED = transition("working", 3, "succeeded")
FAIL = transition("working", 3, "failed", "interrupted")
NEW_RUN = run("bare")

KEPT = [
    Promise(
        "a run's question never changes", "UPDATE runs_run SET question = 'otra' WHERE id = :ended", NEW_RUN
    ),
    Promise(
        "a run's conditions never change", "UPDATE runs_run SET provenance = '{}' WHERE id = :bare", NEW_RUN
    ),
    Promise("a run is never deleted", "DELETE FROM runs_run WHERE id = :bare", FORGET),
    Promise("a transition never changes", "UPDATE runs_transition SET payload = '{}'", FAIL),
    Promise("a transition is never deleted", "DELETE FROM runs_transition WHERE run_id = :ended", FORGET),
    Promise("a step never changes", "UPDATE runs_progress SET payload = '{}'", step("working", 3)),
    Promise("a step is never deleted", "DELETE FROM runs_progress WHERE run_id = :ended", FORGET),
    Promise("an entry of a transcript never changes", "UPDATE runs_transcriptentry SET body = 'y'", FORGET),
    Promise("an opinion never changes", "UPDATE feedback_feedback SET rating = 'not_helpful'", OPINION),
    Promise("an opinion is never deleted", "DELETE FROM feedback_feedback", OPINION),
    Promise("a pause never changes", "UPDATE runs_admissionchange SET reason = 'otro'", PAUSE),
    Promise("a pause is never deleted", "DELETE FROM runs_admissionchange", PAUSE),
]
IN_ORDER = [
    Promise("a run ends once", transition("ended", 3, "failed", "interrupted"), FAIL),
    Promise("a cancelled run does not start", transition("cancelled", 3, "succeeded"), SUCCEED),
    Promise("a cancelled run does not fail again", transition("cancelled", 3, "failed", "interrupted"), FAIL),
    Promise("nothing follows on an end", transition("ended", 4, "failed", "interrupted"), FAIL),
    Promise("a run starts once", transition("working", 2, "started"), SUCCEED),
    Promise("a run is queued once", transition("waiting", 1, "queued"), transition("placed", 1, "queued")),
    Promise("a run is queued first", transition("placed", 2, "failed", "cancelled"), CANCEL_WAITING),
    Promise("a run succeeds once it has started", transition("waiting", 3, "succeeded"), SUCCEED),
    Promise(
        "a taken run starts first", transition("taken", 3, "succeeded"), transition("taken", 2, "started")
    ),
    Promise(
        "a person has one active run", transition("second", 1, "queued"), transition("placed", 1, "queued")
    ),
    Promise(
        "a run that waits ends at the second place", transition("waiting", 3, "failed", "cancelled"), FAIL
    ),
    Promise("a run is queued at the first place", transition("placed", 2, "queued"), CANCEL_WAITING),
    Promise("a run succeeds at the third place", transition("waiting", 2, "succeeded"), SUCCEED),
    Promise(
        "the first place is the first", transition("placed", 0, "queued"), transition("placed", 1, "queued")
    ),
    Promise("a failure has a code", transition("working", 3, "failed"), FAIL),
    Promise("a failure's code is known", transition("working", 3, "failed", "bad luck"), FAIL),
    Promise("a success has no code", transition("working", 3, "succeeded", "interrupted"), SUCCEED),
    Promise("a run starts under a worker's claim", transition("waiting", 2, "started"), CANCEL_WAITING),
    Promise(
        "a run without a place is not queued",
        transition("bare", 1, "queued"),
        transition("placed", 1, "queued"),
    ),
]
STEPS = [
    Promise("a step is stored once", step("working", 2), step("working", 3)),
    Promise(
        "a step's kind is known", step("working", 3).replace("tool_started", "thought"), step("working", 3)
    ),
    Promise("steps have no gap", step("working", 4), step("working", 3)),
    Promise("the first step is the first", step("working", 0), step("working", 3)),
    Promise("a waiting run takes no step", step("waiting", 1), step("working", 3)),
    Promise("an ended run takes no step", step("ended", 3), step("working", 3)),
    Promise("a cancelled run takes no step", step("cancelled", 1), step("working", 3)),
    Promise("a run that was never queued takes no step", step("bare", 1), step("working", 3)),
    Promise("an entry is stored once", entry("working", 2), entry("working", 3)),
    Promise("a waiting run records nothing", entry("waiting", 1), entry("working", 3)),
    Promise("an ended run records nothing", entry("ended", 3), entry("working", 3)),
]
CLAIMS = [
    Promise("a run has one claim", claim("waiting", "waiting"), claim("bare", "bare")),
    Promise("a person has one claim", claim("second", "second"), claim("bare", "bare")),
    Promise("a claim has its run's evaluator", claim("bare", "placed"), claim("bare", "bare")),
    Promise("a run that ended is not claimed", claim("ended", "ended"), claim("bare", "bare")),
    Promise("a cancelled run is not claimed", claim("cancelled", "cancelled"), claim("bare", "bare")),
    Promise(
        "a claim is taken once its run is queued",
        "UPDATE runs_claim SET token = :new_token WHERE run_id = :placed",
        TAKE_WAITING,
    ),
    Promise(
        "a claim is taken once",
        "UPDATE runs_claim SET token = :new_token WHERE run_id = :working",
        TAKE_WAITING,
    ),
    Promise("a claim is not given back", "UPDATE runs_claim SET token = NULL WHERE run_id = :working", BEAT),
    Promise(
        "a claim keeps its run",
        "UPDATE runs_claim SET run_id = :bare WHERE run_id = :waiting",
        TAKE_WAITING,
    ),
    Promise(
        "a claim keeps its evaluator",
        "UPDATE runs_claim SET evaluator_id = :idle WHERE run_id = :waiting",
        BEAT,
    ),
    Promise("a claim keeps its place", "UPDATE runs_claim SET id = id + 1000 WHERE run_id = :waiting", BEAT),
    Promise("a waiting run keeps its claim", "DELETE FROM runs_claim WHERE run_id = :waiting", TAKE_WAITING),
    Promise("a run at work keeps its claim", "DELETE FROM runs_claim WHERE run_id = :working", BEAT),
]
UPSERTS = [
    Promise(
        "a step is not changed by a conflict",
        step("working", 2) + " ON CONFLICT (run_id, sequence) DO UPDATE SET payload = excluded.payload",
        step("working", 3) + " ON CONFLICT (run_id, sequence) DO UPDATE SET payload = excluded.payload",
    ),
    Promise(
        "a run is not changed by a conflict",
        run("ended", id_=":ended") + " ON CONFLICT (id) DO UPDATE SET question = excluded.question",
        NEW_RUN,
    ),
    Promise(
        "an entry is not changed by a conflict",
        entry("working", 2) + " ON CONFLICT (run_id, sequence) DO UPDATE SET body = excluded.body",
        entry("working", 3) + " ON CONFLICT (run_id, sequence) DO NOTHING",
    ),
]


def with_id(statement: str, table: str) -> str:
    """The same under the ``id`` of the newest row there."""
    newest = f"(SELECT MAX(id) FROM {table})"
    return statement.replace(" (", " (id, ", 1).replace("VALUES (", f"VALUES ({newest}, ")


REPLACE = "INSERT OR REPLACE"
REPLACING = [
    Promise("a run is not replaced by its id", run("ended", id_=":ended", verb=REPLACE), NEW_RUN),
    Promise("a run is not replaced by its request", run("bare", "'bare'", verb=REPLACE), NEW_RUN),
    Promise(
        "a run is not replaced by its row",
        run("bare", verb="REPLACE").replace("(id,", "(rowid, id,").replace("(:new_id", "(1, :new_id"),
        NEW_RUN,
    ),
    Promise(
        "an end is not replaced",
        transition("ended", 3, "failed", "interrupted", verb=REPLACE),
        transition("working", 3, "succeeded", verb=REPLACE),
    ),
    Promise(
        "a transition is not replaced by its id",
        with_id(transition("working", 3, "succeeded", verb=REPLACE), "runs_transition"),
        SUCCEED,
    ),
    Promise("a step is not replaced", step("working", 2, verb="REPLACE"), step("working", 3, verb="REPLACE")),
    Promise(
        "a step is not replaced by its id",
        with_id(step("working", 3, verb=REPLACE), "runs_progress"),
        step("working", 3),
    ),
    Promise("a step is not moved", "UPDATE OR REPLACE runs_progress SET sequence = 1", step("working", 3)),
    Promise(
        "an opinion is not replaced",
        with_id(OPINION.replace("INSERT", REPLACE), "feedback_feedback"),
        OPINION,
    ),
    Promise(
        "a pause is not replaced", with_id(PAUSE.replace("INSERT", REPLACE), "runs_admissionchange"), PAUSE
    ),
    Promise(
        "a claim is not replaced",
        claim("waiting", "waiting", verb=REPLACE),
        claim("bare", "bare", verb=REPLACE),
    ),
    Promise(
        "a claim is not replaced by its id",
        with_id(claim("bare", "bare", verb=REPLACE), "runs_claim"),
        claim("bare", "bare"),
    ),
    Promise(
        "a claim is not replaced by another's id",
        "UPDATE OR REPLACE runs_claim SET id = (SELECT MAX(id) FROM runs_claim) WHERE run_id = :waiting",
        TAKE_WAITING,
    ),
    Promise("an ended run's entry is not replaced", entry("ended", 2, verb=REPLACE), FORGET),
    # The lifecycle stores entries that may be there already.
    Promise(
        "an ended run records nothing by the way of IGNORE",
        entry("ended", 3, verb="INSERT OR IGNORE"),
        entry("working", 3, verb="INSERT OR IGNORE"),
    ),
]
TRUNCATED = [
    Promise(f"{table} is not emptied", f"TRUNCATE {table} CASCADE", FORGET)
    for table in (
        "runs_run",
        "runs_transition",
        "runs_progress",
        "runs_claim",
        "runs_admissionchange",
        "feedback_feedback",
    )
]
ONLY_HERE = REPLACING if connection.vendor == "sqlite" else TRUNCATED


@pytest.fixture
def values() -> dict[str, Any]:
    return promises.scene()


@pytest.mark.parametrize(
    "promise", [*KEPT, *IN_ORDER, *STEPS, *CLAIMS, *UPSERTS, *ONLY_HERE], ids=lambda promise: promise.says
)
def test_the_database_keeps_it(values, promise):
    before = everything()
    with pytest.raises(IntegrityError), transaction.atomic():
        execute(promise.refused, values)
    assert everything() == before
    assert execute(promise.allowed, values) > 0


TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
}


def rules(site: Site) -> set[str]:
    return {name for (name,) in site.database.rows(TRIGGERS[connection.vendor])}


@pytest.mark.processes
def test_migrations_take_the_rules_away_and_put_them_back(site):
    def migrate(*where: str) -> set[str]:
        done = site.manage("migrate", *where, "-v", "0")
        assert done.returncode == 0, done.stderr
        return rules(site)

    all_of_them = migrate()
    assert {"runs_claim_refuses_retaken", "feedback_feedback_refuses_delete"} <= all_of_them
    without_promises = migrate("runs", "0004")
    assert all_of_them - without_promises >= {"runs_claim_refuses_retaken", "runs_progress_refuses_gap"}
    assert "runs_progress_refuses_update" in without_promises
    assert migrate("feedback", "0002") < without_promises
    assert migrate() == all_of_them
