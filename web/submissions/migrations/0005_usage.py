from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0004_values_only_in_runs"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="gpu_ms",
            field=models.PositiveIntegerField(
                blank=True, help_text="Time on a GPU, in milliseconds.", null=True
            ),
        ),
        migrations.AddField(
            model_name="report",
            name="cpu_ms",
            field=models.PositiveIntegerField(
                blank=True, help_text="Time on CPUs, in milliseconds.", null=True
            ),
        ),
    ]
