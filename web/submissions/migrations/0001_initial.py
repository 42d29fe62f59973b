import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import problems.vocabulary
import web.submissions.models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("catalog", "0001_initial"),
        ("packages", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Submission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "public_id",
                    models.CharField(
                        default=web.submissions.models.new_public_id,
                        editable=False,
                        max_length=12,
                        unique=True,
                    ),
                ),
                (
                    "version",
                    models.CharField(
                        help_text="Version of the problem when it was handed in.", max_length=64
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("cuda", "cuda"), ("triton", "triton"), ("python", "python")], max_length=8
                    ),
                ),
                ("mode", models.CharField(choices=[("run", "run"), ("submit", "submit")], max_length=8)),
                ("source", models.TextField()),
                (
                    "sizes",
                    models.JSONField(blank=True, help_text="The user's own sizes, for a run.", null=True),
                ),
                (
                    "seed",
                    models.PositiveBigIntegerField(
                        blank=True, help_text="The user's own seed, for a run.", null=True
                    ),
                ),
                (
                    "gpu_model",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The GPU asked for; empty for any.",
                        max_length=120,
                    ),
                ),
                (
                    "shared",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Whether those who solved the problem may read it.",
                    ),
                ),
                ("idempotency_key", models.CharField(blank=True, max_length=64, null=True)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "package",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        help_text="What it is judged by.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="packages.packageversion",
                    ),
                ),
                (
                    "problem",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to="catalog.problem",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="submissions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("attempt", models.PositiveIntegerField()),
                (
                    "verdict",
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
                ("message", models.TextField(blank=True)),
                ("version", models.CharField(blank=True, db_default="", default="", max_length=64)),
                ("gpu_model", models.CharField(blank=True, db_default="", default="", max_length=120)),
                ("driver", models.CharField(blank=True, db_default="", default="", max_length=120)),
                ("toolkit", models.CharField(blank=True, db_default="", default="", max_length=120)),
                (
                    "ranked",
                    models.BooleanField(
                        default=False, help_text="Whether a trusted clock timed it on a GPU."
                    ),
                ),
                ("score_us", models.FloatField(blank=True, null=True)),
                ("score_low_us", models.FloatField(blank=True, null=True)),
                ("score_high_us", models.FloatField(blank=True, null=True)),
                ("roofline_percent", models.FloatField(blank=True, null=True)),
                ("body", models.JSONField()),
                ("finished", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="report",
                        to="submissions.submission",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Job",
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
                ("cancel_requested", models.BooleanField(default=False)),
                ("events", models.PositiveIntegerField(default=0)),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="jobs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="job",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Event",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sequence", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("claimed", "Claimed"),
                            ("compiling", "Compiling"),
                            ("compiled", "Compiled"),
                            ("case", "Case"),
                            ("disturbed", "Disturbed"),
                            ("waiting", "Waiting"),
                            ("timing", "Timing"),
                            ("retried", "Retried"),
                            ("finished", "Finished"),
                        ],
                        max_length=12,
                    ),
                ),
                ("payload", models.JSONField(default=dict)),
                ("created", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="events",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["sequence"],
            },
        ),
        migrations.CreateModel(
            name="Best",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.CharField(max_length=64)),
                ("gpu_model", models.CharField(max_length=120)),
                (
                    "language",
                    models.CharField(
                        choices=[("cuda", "cuda"), ("triton", "triton"), ("python", "python")], max_length=8
                    ),
                ),
                ("score_us", models.FloatField()),
                ("score_low_us", models.FloatField()),
                ("score_high_us", models.FloatField()),
                ("roofline_percent", models.FloatField(null=True)),
                ("driver", models.CharField(blank=True, max_length=120)),
                ("toolkit", models.CharField(blank=True, max_length=120)),
                ("handed_in", models.DateTimeField()),
                ("current", models.BooleanField()),
                ("record", models.BooleanField(default=False)),
                (
                    "problem",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bests",
                        to="catalog.problem",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bests",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="best",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "bests",
            },
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                (
                    "problem",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="tally",
                        serialize=False,
                        to="catalog.problem",
                    ),
                ),
                ("judged", models.PositiveIntegerField(default=0)),
                ("accepted", models.PositiveIntegerField(default=0)),
                (
                    "solvers",
                    models.PositiveIntegerField(default=0, help_text="People with an accepted submission."),
                ),
            ],
            options={
                "verbose_name_plural": "tallies",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("accepted__lte", models.F("judged"))),
                        name="tally_accepted_of_judged",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Progress",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("runs", models.PositiveIntegerField(default=0, help_text="Judged runs.")),
                (
                    "judged",
                    models.PositiveIntegerField(default=0, help_text="Judged submissions, without runs."),
                ),
                (
                    "accepted",
                    models.PositiveIntegerField(default=0, help_text="Those of them that were accepted."),
                ),
                ("solved", models.DateTimeField(blank=True, null=True)),
                (
                    "latest",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="Of the latest judgement."
                    ),
                ),
                (
                    "problem",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="progress",
                        to="catalog.problem",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="progress",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "progress",
                "indexes": [models.Index(fields=["user", "-latest"], name="progress_latest_of_user")],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "problem"), name="progress_once"),
                    models.CheckConstraint(
                        condition=models.Q(("accepted__lte", models.F("judged"))),
                        name="progress_accepted_of_judged",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("accepted", 0), ("solved__isnull", True)),
                            models.Q(("accepted__gt", 0), ("solved__isnull", False)),
                            _connector="OR",
                        ),
                        name="progress_solved_when_accepted",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Listing",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(choices=[("ptx", "PTX"), ("sass", "SASS")], max_length=8)),
                ("size_bytes", models.PositiveIntegerField(help_text="Of the text, in UTF-8.")),
                ("packed", models.BinaryField()),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="listings",
                        to="submissions.report",
                    ),
                ),
            ],
            options={
                "ordering": ["kind"],
                "constraints": [
                    models.UniqueConstraint(fields=("report", "kind"), name="listing_kind_unique"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["ptx", "sass"])), name="listing_kind_known"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CaseResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("name", models.CharField(max_length=60)),
                (
                    "group",
                    models.CharField(
                        choices=[
                            ("sample", "sample"),
                            ("small", "small"),
                            ("odd", "odd"),
                            ("large", "large"),
                            ("timed", "timed"),
                        ],
                        max_length=8,
                    ),
                ),
                ("public", models.BooleanField()),
                (
                    "verdict",
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
                ("wall_ms", models.FloatField(null=True)),
                ("median_us", models.FloatField(null=True)),
                ("low_us", models.FloatField(null=True)),
                ("high_us", models.FloatField(null=True)),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cases",
                        to="submissions.report",
                    ),
                ),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("high_us__gte", models.F("median_us")),
                                ("low_us__gt", 0),
                                ("median_us__gte", models.F("low_us")),
                            ),
                            models.Q(
                                ("high_us__isnull", True),
                                ("low_us__isnull", True),
                                ("median_us__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="case_result_timed_whole",
                    ),
                    models.UniqueConstraint(
                        fields=("report", "position"), name="case_result_position_unique"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "group__in",
                                [
                                    problems.vocabulary.Group["SAMPLE"],
                                    problems.vocabulary.Group["SMALL"],
                                    problems.vocabulary.Group["ODD"],
                                    problems.vocabulary.Group["LARGE"],
                                    problems.vocabulary.Group["TIMED"],
                                ],
                            )
                        ),
                        name="case_result_group_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "verdict__in",
                                [
                                    problems.vocabulary.Verdict["ACCEPTED"],
                                    problems.vocabulary.Verdict["WRONG_ANSWER"],
                                    problems.vocabulary.Verdict["COMPILE_ERROR"],
                                    problems.vocabulary.Verdict["RUNTIME_ERROR"],
                                    problems.vocabulary.Verdict["ILLEGAL_ACCESS"],
                                    problems.vocabulary.Verdict["TIME_LIMIT"],
                                    problems.vocabulary.Verdict["MEMORY_LIMIT"],
                                    problems.vocabulary.Verdict["OUTPUT_LIMIT"],
                                    problems.vocabulary.Verdict["REJECTED"],
                                    problems.vocabulary.Verdict["INTERNAL_ERROR"],
                                    problems.vocabulary.Verdict["CANCELLED"],
                                ],
                            )
                        ),
                        name="case_result_verdict_known",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["user", "-created"], name="submission_by_user"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["problem", "-created"], name="submission_by_problem"),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(fields=["user", "problem"], name="submission_of_user_to_problem"),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                fields=("user", "idempotency_key"), name="submission_once_per_key"
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "language__in",
                        [
                            problems.vocabulary.Language["CUDA"],
                            problems.vocabulary.Language["TRITON"],
                            problems.vocabulary.Language["PYTHON"],
                        ],
                    )
                ),
                name="submission_language_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("mode__in", [problems.vocabulary.Mode["RUN"], problems.vocabulary.Mode["SUBMIT"]])
                ),
                name="submission_mode_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(("sizes__isnull", True), ("mode", "run"), _connector="OR"),
                name="submission_sizes_only_in_runs",
            ),
        ),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.CheckConstraint(
                condition=models.Q(("seed__isnull", True), ("mode", "run"), _connector="OR"),
                name="submission_seed_only_in_runs",
            ),
        ),
        migrations.AddIndex(
            model_name="report",
            index=models.Index(
                condition=models.Q(("ranked", True)), fields=["gpu_model", "score_us"], name="report_by_score"
            ),
        ),
        migrations.AddIndex(
            model_name="report",
            index=models.Index(
                condition=models.Q(("verdict", "internal_error")),
                fields=["submission"],
                name="report_gave_up",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "verdict__in",
                        [
                            problems.vocabulary.Verdict["ACCEPTED"],
                            problems.vocabulary.Verdict["WRONG_ANSWER"],
                            problems.vocabulary.Verdict["COMPILE_ERROR"],
                            problems.vocabulary.Verdict["RUNTIME_ERROR"],
                            problems.vocabulary.Verdict["ILLEGAL_ACCESS"],
                            problems.vocabulary.Verdict["TIME_LIMIT"],
                            problems.vocabulary.Verdict["MEMORY_LIMIT"],
                            problems.vocabulary.Verdict["OUTPUT_LIMIT"],
                            problems.vocabulary.Verdict["REJECTED"],
                            problems.vocabulary.Verdict["INTERNAL_ERROR"],
                            problems.vocabulary.Verdict["CANCELLED"],
                        ],
                    )
                ),
                name="report_verdict_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("ranked", True),
                        ("score_high_us__gte", models.F("score_us")),
                        ("score_low_us__gt", 0),
                        ("score_us__gte", models.F("score_low_us")),
                    ),
                    models.Q(
                        ("ranked", False),
                        ("score_high_us__isnull", True),
                        ("score_low_us__isnull", True),
                        ("score_us__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="report_ranked_has_score",
            ),
        ),
        migrations.AddConstraint(
            model_name="report",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("ranked", False),
                    models.Q(
                        models.Q(("gpu_model", ""), _negated=True), models.Q(("version", ""), _negated=True)
                    ),
                    _connector="OR",
                ),
                name="report_ranked_has_stamp",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("state", "queued")),
                fields=["queue", "-priority", "fair_share_rank", "queued", "id"],
                name="job_next_of_queue",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(condition=models.Q(("state", "leased")), fields=["queue"], name="job_leased"),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("state__in", ("queued", "leased"))),
                fields=["-priority", "fair_share_rank", "queued", "id"],
                name="job_in_order",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("state__in", ("queued", "leased"))),
                fields=["user", "queued"],
                name="job_of_user",
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "leased", "done", "cancelled"])),
                name="job_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("lease_until__isnull", False), ("state", "leased")),
                    models.Q(models.Q(("state", "leased"), _negated=True), ("lease_until__isnull", True)),
                    _connector="OR",
                ),
                name="job_leased_until",
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.UniqueConstraint(
                fields=("submission", "sequence"), name="event_sequence_unique"
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "queued",
                            "claimed",
                            "compiling",
                            "compiled",
                            "case",
                            "disturbed",
                            "waiting",
                            "timing",
                            "retried",
                            "finished",
                        ],
                    )
                ),
                name="event_kind_known",
            ),
        ),
        migrations.AddIndex(
            model_name="best",
            index=models.Index(
                condition=models.Q(("current", True)),
                fields=["problem", "version", "gpu_model", "language", "score_us"],
                include=("id", "user", "handed_in", "submission", "score_low_us", "score_high_us"),
                name="best_by_place",
            ),
        ),
        migrations.AddIndex(
            model_name="best",
            index=models.Index(
                fields=["problem", "version", "gpu_model", "language", "handed_in"], name="best_by_time"
            ),
        ),
        migrations.AddIndex(
            model_name="best",
            index=models.Index(
                condition=models.Q(("record", True)), fields=["-handed_in"], name="best_records"
            ),
        ),
        migrations.AddConstraint(
            model_name="best",
            constraint=models.UniqueConstraint(
                condition=models.Q(("current", True)),
                fields=("user", "problem", "version", "gpu_model", "language"),
                name="best_current_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="best",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "language__in",
                        [
                            problems.vocabulary.Language["CUDA"],
                            problems.vocabulary.Language["TRITON"],
                            problems.vocabulary.Language["PYTHON"],
                        ],
                    )
                ),
                name="best_language_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="best",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("score_high_us__gte", models.F("score_us")),
                    ("score_low_us__gt", 0),
                    ("score_us__gte", models.F("score_low_us")),
                ),
                name="best_score_whole",
            ),
        ),
    ]
