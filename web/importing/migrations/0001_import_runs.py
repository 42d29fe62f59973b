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
                ("format", models.CharField(max_length=20)),
                ("archive", models.BinaryField(blank=True, null=True)),
                ("folder", models.CharField(blank=True, max_length=400)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting"),
                            ("leased", "Importing"),
                            ("done", "Done"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=9,
                    ),
                ),
                ("attempt", models.PositiveIntegerField(default=0)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("worker", models.CharField(blank=True, max_length=120)),
                (
                    "progress",
                    models.CharField(blank=True, help_text="The problem that is looked at.", max_length=200),
                ),
                ("report", models.JSONField(blank=True, null=True)),
                ("failure", models.TextField(blank=True)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["queued", "leased"])),
                        fields=["id"],
                        name="import_run_next",
                    ),
                    models.Index(fields=["by", "-id"], name="import_run_of_person"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["queued", "leased", "done", "cancelled"])),
                        name="import_run_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lease_until__isnull", False), ("state", "leased")),
                            models.Q(
                                models.Q(("state", "leased"), _negated=True), ("lease_until__isnull", True)
                            ),
                            _connector="OR",
                        ),
                        name="import_run_leased_until",
                    ),
                ],
            },
        ),
    ]
