from django.db import migrations, models

from web.site.live_operations import AddCheckLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("submissions", "0011_profiled"),
    ]

    operations = [
        AddCheckLive(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(("profiled", False), ("mode", "run"), _connector="OR"),
                name="submission_profiled_only_runs",
            ),
        ),
    ]
