from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0004_live_version"),
    ]

    operations = [
        migrations.AddField(
            model_name="problem",
            name="translations",
            field=models.JSONField(
                blank=True,
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text="The statement in other languages, by locale.",
            ),
        ),
    ]
