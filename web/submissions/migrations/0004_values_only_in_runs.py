from django.db import migrations, models

from web.site.live_operations import AddCheckLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("submissions", "0003_values"),
    ]

    operations = [
        AddCheckLive(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("values__isnull", True),
                    models.Q(("mode", "run"), ("sizes__isnull", False)),
                    _connector="OR",
                ),
                name="submission_values_only_in_runs",
            ),
        ),
    ]
