import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ImportRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("leased", "Running"),
                            ("done", "Done"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=9,
                    ),
                ),
                ("attempt", models.PositiveIntegerField(default=0)),
                ("tries", models.PositiveIntegerField(default=0)),
                (
                    "queue",
                    models.CharField(
                        blank=True,
                        db_default="cpu",
                        default="cpu",
                        help_text="The hardware it is for.",
                        max_length=128,
                    ),
                ),
                (
                    "priority",
                    models.SmallIntegerField(
                        db_default=0, default=0, help_text="Higher ones are claimed first."
                    ),
                ),
                (
                    "fair_share_rank",
                    models.PositiveSmallIntegerField(
                        db_default=0,
                        default=0,
                        help_text="How many of the same user's jobs were there before it.",
                    ),
                ),
                (
                    "queued",
                    models.DateTimeField(
                        default=django.utils.timezone.now, editable=False, help_text="When it was asked for."
                    ),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("worker", models.CharField(blank=True, max_length=120)),
                ("format", models.CharField(max_length=20)),
                ("archive", models.BinaryField(blank=True, null=True)),
                ("folder", models.CharField(blank=True, max_length=400)),
                (
                    "scale",
                    models.BooleanField(
                        db_default=False, default=False, help_text="Enlarge timed cases below 1 MiB."
                    ),
                ),
                (
                    "progress",
                    models.CharField(blank=True, help_text="The problem that is looked at.", max_length=200),
                ),
                ("report", models.JSONField(blank=True, null=True)),
                ("failure", models.TextField(blank=True)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="import_runs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "abstract": False,
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "queued")),
                        fields=["queue", "-priority", "fair_share_rank", "queued", "id"],
                        name="importrun_next_of_queue",
                    ),
                    models.Index(
                        condition=models.Q(("state", "leased")), fields=["queue"], name="importrun_leased"
                    ),
                    models.Index(fields=["by", "-id"], name="import_run_of_person"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["queued", "leased", "done", "cancelled"])),
                        name="importrun_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lease_until__isnull", False), ("state", "leased")),
                            models.Q(
                                models.Q(("state", "leased"), _negated=True), ("lease_until__isnull", True)
                            ),
                            _connector="OR",
                        ),
                        name="importrun_leased_until",
                    ),
                ],
            },
        ),
    ]
