from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0006_queues"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "queued")),
                fields=["queue", "-priority", "turn", "queued", "id"],
                name="job_next_of_queue",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(condition=models.Q(("status", "leased")), fields=["queue"], name="job_leased"),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "done"), _negated=True),
                fields=["-priority", "turn", "queued", "id"],
                name="job_in_order",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "done"), _negated=True),
                fields=["user", "queued"],
                name="job_of_user",
            ),
        ),
        migrations.RemoveIndex(
            model_name="job",
            name="job_next",
        ),
    ]
