from django.db import migrations, models

from web.site.live_operations import AddIndexLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("submissions", "0005_usage"),
    ]

    operations = [
        AddIndexLive(
            model_name="report",
            index=models.Index(fields=["finished"], name="report_by_time"),
        ),
    ]
