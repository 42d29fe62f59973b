from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0010_requirement_missed_known"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="checker_score",
            field=models.FloatField(blank=True, null=True),
        ),
    ]
