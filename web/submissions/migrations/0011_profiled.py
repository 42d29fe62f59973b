from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0010_requirement_missed_known"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="profiled",
            field=models.BooleanField(
                db_default=False, default=False, help_text="Whether the run is profiled on a GPU."
            ),
        ),
    ]
