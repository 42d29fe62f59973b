import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("catalog", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("day", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "problem",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="entries",
                        to="catalog.problem",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "entries",
                "ordering": ["track", "position"],
            },
        ),
        migrations.CreateModel(
            name="Track",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("title", models.CharField(max_length=80)),
                ("summary", models.CharField(max_length=200)),
                ("description", models.TextField(blank=True, help_text="Markdown.")),
                ("order", models.PositiveSmallIntegerField(default=100, help_text="Lower ones come first.")),
                (
                    "published",
                    models.BooleanField(default=True, help_text="Only published tracks are shown."),
                ),
                (
                    "contest_starts",
                    models.DateTimeField(
                        blank=True,
                        help_text="From when its problems are judged first. Empty: it is no contest.",
                        null=True,
                    ),
                ),
                (
                    "contest_ends",
                    models.DateTimeField(blank=True, help_text="Until when they are.", null=True),
                ),
                (
                    "problems",
                    models.ManyToManyField(
                        related_name="tracks", through="tracks.Entry", to="catalog.problem"
                    ),
                ),
            ],
            options={
                "ordering": ["order", "slug"],
            },
        ),
        migrations.AddField(
            model_name="entry",
            name="track",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="tracks.track"
            ),
        ),
        migrations.AddConstraint(
            model_name="track",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("contest_ends__isnull", True), ("contest_starts__isnull", True)),
                    models.Q(
                        ("contest_ends__gt", models.F("contest_starts")),
                        ("contest_ends__isnull", False),
                        ("contest_starts__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="track_contest_starts_and_ends",
                violation_error_message="A contest has a start and a later end; or leave both empty.",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(fields=("track", "position"), name="entry_position_once"),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(fields=("track", "problem"), name="entry_problem_once"),
        ),
    ]
