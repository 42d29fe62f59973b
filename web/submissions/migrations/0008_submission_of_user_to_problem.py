from django.conf import settings
from django.db import migrations, models

from web.site.live_operations import AddIndexLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("submissions", "0007_queue_indexes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexLive(
            model_name="submission",
            index=models.Index(fields=["user", "problem"], name="submission_of_user_to_problem"),
        ),
    ]
