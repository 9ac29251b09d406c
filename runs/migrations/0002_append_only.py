from django.db import migrations

from runs.append_only import refuse

GAP = """
NEW.sequence > 1 AND NOT EXISTS (
  SELECT 1 FROM runs_transition AS earlier
  WHERE earlier.run_id = NEW.run_id AND earlier.sequence = NEW.sequence - 1
    AND earlier.state IN ('queued', 'started')
)
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0001_initial")]

    operations = [
        refuse("runs_run", "UPDATE", "a run never changes"),
        refuse("runs_transition", "UPDATE", "a transition never changes"),
        refuse("runs_transition", "DELETE", "a transition is never deleted"),
        refuse("runs_transition", "INSERT", "a transition follows on the one before it", GAP),
        refuse("runs_progress", "UPDATE", "a step never changes"),
        refuse("runs_progress", "DELETE", "a step is never deleted"),
    ]
