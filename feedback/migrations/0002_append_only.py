from django.db import migrations

from runs.append_only import refuse


class Migration(migrations.Migration):
    dependencies = [("feedback", "0001_initial")]

    operations = [
        refuse("feedback_feedback", "UPDATE", "an opinion never changes"),
        refuse("feedback_feedback", "DELETE", "an opinion is never deleted"),
    ]
