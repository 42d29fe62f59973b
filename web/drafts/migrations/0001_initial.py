import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import problems.vocabulary


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("catalog", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Draft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[("cuda", "cuda"), ("triton", "triton"), ("python", "python")], max_length=8
                    ),
                ),
                ("source", models.TextField(blank=True)),
                ("revision", models.PositiveIntegerField(default=0)),
                ("saved", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "problem",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="catalog.problem",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="DraftRevision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("revision", models.PositiveIntegerField()),
                ("source", models.TextField()),
                ("saved", models.DateTimeField()),
                (
                    "draft",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="drafts.draft",
                    ),
                ),
            ],
            options={
                "ordering": ["-revision"],
            },
        ),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(fields=("user", "problem", "language"), name="draft_once"),
        ),
        migrations.AddConstraint(
            model_name="draft",
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
                name="draft_language_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="draftrevision",
            constraint=models.UniqueConstraint(fields=("draft", "revision"), name="draft_revision_once"),
        ),
    ]
