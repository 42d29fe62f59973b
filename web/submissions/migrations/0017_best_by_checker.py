import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import problems.vocabulary


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0008_score"),
        ("submissions", "0016_profile_report"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BestByChecker",
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
                ("driver", models.CharField(blank=True, max_length=120)),
                ("toolkit", models.CharField(blank=True, max_length=120)),
                ("handed_in", models.DateTimeField()),
                ("checker_score", models.FloatField()),
                ("lowest", models.BooleanField()),
                ("highest", models.BooleanField()),
                ("latest", models.BooleanField()),
                (
                    "problem",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bests_by_checker",
                        to="catalog.problem",
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="best_by_checker",
                        to="submissions.submission",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="bests_by_checker",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "best by checker",
                "verbose_name_plural": "bests by checker",
                "indexes": [
                    models.Index(
                        fields=["problem", "version", "gpu_model", "language", "checker_score"],
                        include=("id", "user", "handed_in", "submission", "lowest", "highest"),
                        name="checker_best_by_place",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("lowest", True)),
                        fields=("user", "problem", "version", "gpu_model", "language"),
                        name="checker_best_lowest_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("highest", True)),
                        fields=("user", "problem", "version", "gpu_model", "language"),
                        name="checker_best_highest_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("latest", True)),
                        fields=("user", "problem", "version", "gpu_model", "language"),
                        name="checker_best_latest_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("lowest", True), ("highest", True), ("latest", True), _connector="OR"
                        ),
                        name="checker_best_has_mark",
                    ),
                    models.CheckConstraint(
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
                        name="checker_best_language_known",
                    ),
                ],
            },
        ),
    ]
