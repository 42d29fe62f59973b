from django.db import migrations, models

from web.site.live_operations import AddCheckLive, AddIndexLive, RemoveIndexLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("discussion", "0002_thread_kinds")]

    operations = [
        AddIndexLive(
            model_name="thread",
            index=models.Index(fields=["problem", "kind", "-latest", "-id"], name="thread_latest_of_kind"),
        ),
        RemoveIndexLive(model_name="thread", name="thread_latest"),
        AddCheckLive(
            model_name="thread",
            constraint=models.CheckConstraint(
                condition=models.Q(kind__in=["discussion", "questions", "inquiry", "solution"]),
                name="thread_kind_known",
            ),
        ),
    ]
