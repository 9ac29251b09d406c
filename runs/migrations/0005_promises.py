from django.db import migrations

from runs.append_only import refuse, refuse_replacing, refuse_truncate

# Every condition is answered by unique indexes alone: a step asks two of them each time it is stored.

# Since a person has one claim at most, they have one active run.
UNHELD = """
NOT EXISTS (
  SELECT 1 FROM runs_claim AS held WHERE held.run_id = NEW.run_id
    AND (held.token IS NULL) = (NEW.sequence = 1 OR NEW.sequence = 2 AND NEW.state = 'failed')
)
"""
IDLE = """
NOT EXISTS (
  SELECT 1 FROM runs_transition WHERE run_id = NEW.run_id AND sequence = 2 AND state = 'started'
) OR EXISTS (
  SELECT 1 FROM runs_transition WHERE run_id = NEW.run_id AND sequence = 3
)
"""
GAP = """
NEW.sequence <> 1 AND NOT EXISTS (
  SELECT 1 FROM runs_progress AS earlier
  WHERE earlier.run_id = NEW.run_id AND earlier.sequence = NEW.sequence - 1
)
"""
QUEUED = "EXISTS (SELECT 1 FROM runs_transition WHERE run_id = NEW.run_id AND sequence = 1)"
NOT_THEIRS = """
NOT EXISTS (SELECT 1 FROM runs_run WHERE id = NEW.run_id AND evaluator_id = NEW.evaluator_id)
"""
MOVED = "NEW.id <> OLD.id OR NEW.run_id <> OLD.run_id OR NEW.evaluator_id <> OLD.evaluator_id"
RETAKEN = "OLD.token IS NOT NULL AND (NEW.token IS NULL OR NEW.token <> OLD.token)"
UNQUEUED = f"OLD.token IS NULL AND NEW.token IS NOT NULL AND NOT {QUEUED}"
ACTIVE = """
EXISTS (SELECT 1 FROM runs_transition WHERE run_id = OLD.run_id AND sequence = 1) AND NOT EXISTS (
  SELECT 1 FROM runs_transition WHERE run_id = OLD.run_id AND state IN ('succeeded', 'failed')
)
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0004_operation")]

    operations = [
        refuse("runs_transition", "INSERT", "an active run has its claim", UNHELD, rule="unheld"),
        refuse("runs_progress", "INSERT", "a step is of a run at work", IDLE, rule="idle_run"),
        refuse("runs_progress", "INSERT", "a step follows on the one before it", GAP, rule="gap"),
        refuse("runs_transcriptentry", "INSERT", "an entry is of a run at work", IDLE, rule="idle_run"),
        refuse("runs_claim", "INSERT", "a claim comes before its run is queued", QUEUED, rule="queued"),
        refuse("runs_claim", "INSERT", "a claim has the evaluator of its run", NOT_THEIRS, rule="not_theirs"),
        refuse("runs_claim", "UPDATE", "a claim stays with its run", MOVED, rule="moved"),
        refuse("runs_claim", "UPDATE", "a claim is taken once", RETAKEN, rule="retaken"),
        refuse("runs_claim", "UPDATE", "a claim is taken of a run that waits", UNQUEUED, rule="unqueued"),
        refuse("runs_claim", "DELETE", "an active run keeps its claim", ACTIVE),
        refuse("runs_admissionchange", "UPDATE", "a change of admission never changes"),
        refuse("runs_admissionchange", "DELETE", "a change of admission is never deleted"),
        refuse("runs_run", "DELETE", "a run is never deleted"),
        # Who truncates runs truncates their transitions as well.
        refuse_truncate("runs_transition", "transitions are never deleted"),
        refuse_truncate("runs_progress", "steps are never deleted"),
        refuse_truncate("runs_claim", "an active run keeps its claim"),
        refuse_truncate("runs_admissionchange", "changes of admission are never deleted"),
        refuse_replacing("runs_run", "a run is stored once", ("id",), ("evaluator_id", "client_request_id")),
        refuse_replacing("runs_transition", "a transition is stored once", ("run_id", "sequence")),
        refuse_replacing("runs_progress", "a step is stored once", ("run_id", "sequence")),
        refuse_replacing("runs_claim", "a claim is never replaced", ("run_id",), ("evaluator_id",)),
        refuse_replacing("runs_admissionchange", "a change of admission is stored once"),
    ]
