import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import problems.vocabulary


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("catalog", "0001_initial"),
        ("submissions", "0003_progress_and_sharing"),
        ("accounts", "0003_privacy"),
    ]

    operations = [
        migrations.CreateModel(
            name="Baseline",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("reference", "reference"), ("vendor", "vendor")], max_length=9
                    ),
                ),
                ("label", models.CharField(help_text="What it is, in a few words.", max_length=60)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "problem",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="baselines",
                        to="catalog.problem",
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="baseline",
                        to="submissions.submission",
                    ),
                ),
            ],
            options={
                "ordering": ["problem", "kind", "label"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "kind__in",
                                [
                                    problems.vocabulary.BaselineKind["REFERENCE"],
                                    problems.vocabulary.BaselineKind["VENDOR"],
                                ],
                            )
                        ),
                        name="baseline_kind_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("label", ""), _negated=True), name="baseline_has_label"
                    ),
                ],
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
                    models.CharField(choices=[("cuda", "cuda"), ("triton", "triton")], max_length=8),
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
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="best",
                        to="submissions.submission",
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
            ],
            options={
                "verbose_name_plural": "bests",
                "indexes": [
                    models.Index(
                        condition=models.Q(("current", True)),
                        fields=["problem", "version", "gpu_model", "language", "score_us"],
                        name="best_by_score",
                    ),
                    models.Index(
                        fields=["problem", "version", "gpu_model", "language", "handed_in"],
                        name="best_by_time",
                    ),
                    models.Index(
                        condition=models.Q(("record", True)), fields=["-handed_in"], name="best_records"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("current", True)),
                        fields=("user", "problem", "version", "gpu_model", "language"),
                        name="best_current_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "language__in",
                                [
                                    problems.vocabulary.Language["CUDA"],
                                    problems.vocabulary.Language["TRITON"],
                                ],
                            )
                        ),
                        name="best_language_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("score_high_us__gte", models.F("score_us")),
                            ("score_low_us__gt", 0),
                            ("score_us__gte", models.F("score_low_us")),
                        ),
                        name="best_score_whole",
                    ),
                ],
            },
        ),
    ]
