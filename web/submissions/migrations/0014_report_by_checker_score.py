from django.db import migrations, models

from web.site.live_operations import AddIndexLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("submissions", "0013_checker_score"),
    ]

    operations = [
        AddIndexLive(
            model_name="report",
            index=models.Index(
                condition=models.Q(("checker_score__isnull", False)),
                fields=["submission"],
                name="report_by_checker_score",
            ),
        ),
    ]
