from django.db import migrations, models

from web.site.live_operations import AddCheckLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("quotas", "0002_of_nodes"),
    ]

    operations = [
        AddCheckLive(
            model_name="quota",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("group__isnull", True), ("node__isnull", True), ("user__isnull", False)),
                    models.Q(("group__isnull", False), ("node__isnull", True), ("user__isnull", True)),
                    models.Q(("group__isnull", True), ("node__isnull", False), ("user__isnull", True)),
                    _connector="OR",
                ),
                name="quota_of_one_owner",
            ),
        ),
        AddCheckLive(
            model_name="quota",
            constraint=models.CheckConstraint(
                condition=models.Q(("user__isnull", False), ("gpu_s_per_day__gt", 0), _connector="OR"),
                name="quota_positive_but_of_user",
            ),
        ),
    ]
