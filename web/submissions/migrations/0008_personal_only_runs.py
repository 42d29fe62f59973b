from django.db import migrations, models

from web.site.live_operations import AddCheckLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("submissions", "0007_personal_node"),
    ]

    operations = [
        AddCheckLive(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(("personal_node", False), ("mode", "run"), _connector="OR"),
                name="submission_personal_only_runs",
            ),
        ),
    ]
