from django.db import migrations

from runs.append_only import refuse_replacing, refuse_truncate


class Migration(migrations.Migration):
    dependencies = [("feedback", "0002_append_only")]

    operations = [
        refuse_truncate("feedback_feedback", "opinions are never deleted"),
        refuse_replacing("feedback_feedback", "an opinion is stored once"),
    ]
