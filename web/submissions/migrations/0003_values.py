from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0002_excluded_hosts"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="values",
            field=models.JSONField(blank=True, help_text="Custom values of a run, by argument.", null=True),
        ),
    ]
