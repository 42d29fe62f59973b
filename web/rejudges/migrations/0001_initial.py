import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("packages", "0001_initial"),
        ("submissions", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Rejudge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.CharField(max_length=200)),
                ("chosen", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "Running"),
                            ("ready", "Ready"),
                            ("applying", "Applying"),
                            ("applied", "Applied"),
                            ("discarded", "Discarded"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="running",
                        max_length=9,
                    ),
                ),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "ended",
                    models.DateTimeField(
                        blank=True, help_text="When it was applied, discarded or ended.", null=True
                    ),
                ),
                (
                    "creator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="rejudges",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "package",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="rejudges",
                        to="packages.packageversion",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="HiddenRun",
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
                (
                    "resolution",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("applied", "Applied"),
                            ("kept", "Kept"),
                            ("dropped", "Dropped"),
                        ],
                        default="open",
                        max_length=7,
                    ),
                ),
                ("report_id", models.BigIntegerField()),
                (
                    "old_verdict",
                    models.CharField(
                        choices=[
                            ("accepted", "accepted"),
                            ("wrong_answer", "wrong_answer"),
                            ("compile_error", "compile_error"),
                            ("runtime_error", "runtime_error"),
                            ("illegal_access", "illegal_access"),
                            ("time_limit", "time_limit"),
                            ("memory_limit", "memory_limit"),
                            ("output_limit", "output_limit"),
                            ("rejected", "rejected"),
                            ("internal_error", "internal_error"),
                            ("cancelled", "cancelled"),
                        ],
                        max_length=16,
                    ),
                ),
                ("old_version", models.CharField(blank=True, max_length=64)),
                ("old_gpu_model", models.CharField(blank=True, max_length=120)),
                ("old_score_us", models.FloatField(blank=True, null=True)),
                ("old_low_us", models.FloatField(blank=True, null=True)),
                ("old_high_us", models.FloatField(blank=True, null=True)),
                (
                    "verdict",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("accepted", "accepted"),
                            ("wrong_answer", "wrong_answer"),
                            ("compile_error", "compile_error"),
                            ("runtime_error", "runtime_error"),
                            ("illegal_access", "illegal_access"),
                            ("time_limit", "time_limit"),
                            ("memory_limit", "memory_limit"),
                            ("output_limit", "output_limit"),
                            ("rejected", "rejected"),
                            ("internal_error", "internal_error"),
                            ("cancelled", "cancelled"),
                        ],
                        max_length=16,
                    ),
                ),
                ("message", models.TextField(blank=True)),
                ("version", models.CharField(blank=True, max_length=64)),
                ("gpu_model", models.CharField(blank=True, max_length=120)),
                ("score_us", models.FloatField(blank=True, null=True)),
                ("low_us", models.FloatField(blank=True, null=True)),
                ("high_us", models.FloatField(blank=True, null=True)),
                (
                    "change",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("same", "Same"),
                            ("verdict", "Other verdict"),
                            ("faster", "Faster"),
                            ("slower", "Slower"),
                            ("other_gpu", "Other GPU"),
                            ("failed", "The judge failed"),
                        ],
                        max_length=9,
                    ),
                ),
                ("body", models.JSONField(blank=True, null=True)),
                ("listings", models.BinaryField(blank=True, null=True)),
                ("note", models.CharField(blank=True, max_length=200)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                (
                    "package",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="hidden_runs",
                        to="packages.packageversion",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="hidden_runs",
                        to="submissions.submission",
                    ),
                ),
                (
                    "rejudge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="rejudges.rejudge",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.AddConstraint(
            model_name="rejudge",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["running", "ready", "applying", "applied", "discarded", "cancelled"])
                ),
                name="rejudge_state_known",
            ),
        ),
        migrations.AddIndex(
            model_name="hiddenrun",
            index=models.Index(
                condition=models.Q(("state", "queued")),
                fields=["queue", "-priority", "fair_share_rank", "queued", "id"],
                name="hiddenrun_next_of_queue",
            ),
        ),
        migrations.AddIndex(
            model_name="hiddenrun",
            index=models.Index(
                condition=models.Q(("state", "leased")), fields=["queue"], name="hiddenrun_leased"
            ),
        ),
        migrations.AddIndex(
            model_name="hiddenrun",
            index=models.Index(fields=["rejudge", "change", "id"], name="hidden_run_by_change"),
        ),
        migrations.AddIndex(
            model_name="hiddenrun",
            index=models.Index(fields=["rejudge", "state"], name="hidden_run_by_state"),
        ),
        migrations.AddConstraint(
            model_name="hiddenrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "leased", "done", "cancelled"])),
                name="hiddenrun_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="hiddenrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("lease_until__isnull", False), ("state", "leased")),
                    models.Q(models.Q(("state", "leased"), _negated=True), ("lease_until__isnull", True)),
                    _connector="OR",
                ),
                name="hiddenrun_leased_until",
            ),
        ),
        migrations.AddConstraint(
            model_name="hiddenrun",
            constraint=models.UniqueConstraint(fields=("rejudge", "submission"), name="hidden_run_once"),
        ),
        migrations.AddConstraint(
            model_name="hiddenrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("resolution__in", ["open", "applied", "kept", "dropped"])),
                name="hidden_run_resolution_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="hiddenrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("resolution", "open"), ("state", "done"), _negated=True),
                    models.Q(models.Q(("verdict", ""), _negated=True), ("body__isnull", False)),
                    _connector="OR",
                ),
                name="hidden_run_done_has_report",
            ),
        ),
        migrations.AddConstraint(
            model_name="hiddenrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("score_us__isnull", True),
                    models.Q(
                        ("high_us__gte", models.F("score_us")),
                        ("low_us__gt", 0),
                        ("score_us__gte", models.F("low_us")),
                    ),
                    _connector="OR",
                ),
                name="hidden_run_score_whole",
            ),
        ),
    ]
