import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import problems.vocabulary


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("catalog", "0002_live_version"),
        ("submissions", "0001_initial"),
        ("tracks", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Ranking",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("gpu_model", models.CharField(max_length=120)),
                ("people", models.PositiveIntegerField()),
                ("newest", models.PositiveBigIntegerField()),
                ("refreshed", models.DateTimeField()),
                (
                    "track",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rankings",
                        to="tracks.track",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Place",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rank", models.PositiveIntegerField()),
                ("points", models.FloatField()),
                ("problems", models.PositiveIntegerField()),
                ("full", models.PositiveIntegerField()),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="places",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "ranking",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="places",
                        to="leaderboards.ranking",
                    ),
                ),
            ],
        ),
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
        migrations.AddConstraint(
            model_name="ranking",
            constraint=models.UniqueConstraint(fields=("gpu_model", "track"), name="ranking_once"),
        ),
        migrations.AddConstraint(
            model_name="ranking",
            constraint=models.UniqueConstraint(
                condition=models.Q(("track__isnull", True)), fields=("gpu_model",), name="ranking_of_all_once"
            ),
        ),
        migrations.AddIndex(
            model_name="place",
            index=models.Index(fields=["ranking", "rank"], name="place_by_rank"),
        ),
        migrations.AddConstraint(
            model_name="place",
            constraint=models.UniqueConstraint(fields=("ranking", "user"), name="place_once"),
        ),
        migrations.AddConstraint(
            model_name="place",
            constraint=models.CheckConstraint(
                condition=models.Q(("full__lte", models.F("problems"))), name="place_full_of_problems"
            ),
        ),
    ]
