import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from runs.append_only import refuse


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0002_append_only'),
    ]

    operations = [
        migrations.CreateModel(
            name='TranscriptEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sequence', models.PositiveIntegerField()),
                ('body', models.BinaryField()),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transcript', to='runs.run')),
            ],
            options={
                'ordering': ('run', 'sequence'),
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('run', 'sequence'), name='transcript_sequence_once')],
            },
        ),
        # Not its DELETE: what is private may have to go before the run does.
        refuse('runs_transcriptentry', 'UPDATE', 'an entry of a transcript never changes'),
    ]
