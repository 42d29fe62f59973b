"""Adds the prerequisites and goals of tracks, and their planned entries."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Adds columns with defaults of the database, so that the previous release can still write tracks."""

    dependencies = [
        ("tracks", "0002_track_from_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="track",
            name="hours",
            field=models.PositiveSmallIntegerField(
                blank=True,
                db_default=0,
                default=0,
                help_text="Estimated time for all problems. Leave it empty if you have no estimate.",
                verbose_name="hours needed",
            ),
        ),
        migrations.AddField(
            model_name="track",
            name="outcomes",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="One on each line. Begin each with a verb.",
                verbose_name="what learners will be able to do",
            ),
        ),
        migrations.AddField(
            model_name="track",
            name="prerequisites",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="The knowledge that learners need, one item on each line.",
            ),
        ),
        migrations.CreateModel(
            name="PlannedEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("slug", models.SlugField(max_length=60)),
                ("title", models.CharField(max_length=80)),
                ("summary", models.CharField(max_length=200)),
                ("day", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("topic", models.CharField(blank=True, max_length=80)),
                ("section", models.CharField(blank=True, max_length=80)),
                (
                    "track",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="planned", to="tracks.track"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "planned entries",
                "ordering": ["track", "position"],
                "constraints": [
                    models.UniqueConstraint(fields=("track", "position"), name="planned_entry_position_once"),
                    models.UniqueConstraint(fields=("track", "slug"), name="planned_entry_slug_once"),
                ],
            },
        ),
    ]
