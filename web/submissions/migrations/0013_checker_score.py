from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0012_profiled_only_runs"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="checker_score",
            field=models.FloatField(blank=True, null=True),
        ),
    ]
