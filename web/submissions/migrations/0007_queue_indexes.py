from django.db import migrations, models

from web.site.live_operations import AddIndexLive, RemoveIndexLive


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("submissions", "0006_queues"),
    ]

    operations = [
        AddIndexLive(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "queued")),
                fields=["queue", "-priority", "turn", "queued", "id"],
                name="job_next_of_queue",
            ),
        ),
        AddIndexLive(
            model_name="job",
            index=models.Index(condition=models.Q(("status", "leased")), fields=["queue"], name="job_leased"),
        ),
        AddIndexLive(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "done"), _negated=True),
                fields=["-priority", "turn", "queued", "id"],
                name="job_in_order",
            ),
        ),
        AddIndexLive(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "done"), _negated=True),
                fields=["user", "queued"],
                name="job_of_user",
            ),
        ),
        RemoveIndexLive(
            model_name="job",
            name="job_next",
        ),
    ]
