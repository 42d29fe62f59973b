import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("catalog", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PackageVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="Counts from 1 for each problem.")),
                ("content_hash", models.CharField(help_text="SHA-256 over all files.", max_length=64)),
                (
                    "version",
                    models.CharField(help_text="Changes with all that can change a verdict.", max_length=64),
                ),
                ("archive", models.BinaryField(help_text="The folder as a ZIP file.")),
                ("size_bytes", models.PositiveIntegerField(help_text="Of the archive.")),
                (
                    "origin",
                    models.CharField(choices=[("site", "The site"), ("author", "An author")], max_length=6),
                ),
                ("note", models.CharField(blank=True, help_text="What is new in it.", max_length=300)),
                ("archived", models.BooleanField(default=False)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="published_versions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "problem",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="catalog.problem",
                    ),
                ),
            ],
            options={
                "ordering": ["problem", "-number"],
                "constraints": [
                    models.UniqueConstraint(fields=("problem", "number"), name="package_number_unique"),
                    models.UniqueConstraint(
                        fields=("problem", "content_hash"), name="package_content_unique"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("origin__in", ["site", "author"])), name="package_origin_known"
                    ),
                ],
            },
        ),
    ]
