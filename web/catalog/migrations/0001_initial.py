import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Problem",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60, unique=True)),
                ("title", models.CharField(max_length=120)),
                ("summary", models.CharField(max_length=300)),
                (
                    "difficulty",
                    models.CharField(
                        choices=[("easy", "easy"), ("medium", "medium"), ("hard", "hard")], max_length=8
                    ),
                ),
                ("tags", models.JSONField(default=list)),
                ("track_day", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "version",
                    models.CharField(
                        help_text="Changes with everything that can change a verdict.", max_length=64
                    ),
                ),
                ("statement", models.TextField(help_text="Markdown with TeX.")),
                (
                    "translations",
                    models.JSONField(
                        blank=True,
                        db_default=models.Value({}, models.JSONField()),
                        default=dict,
                        help_text="The statement in other languages, by locale.",
                    ),
                ),
                (
                    "editorial",
                    models.TextField(
                        blank=True, help_text="Markdown. Shown to users who have solved the problem."
                    ),
                ),
                ("starters", models.JSONField(default=dict, help_text="Starter code by language.")),
                (
                    "signature",
                    models.JSONField(
                        default=list, help_text="Arguments of solve: name, role, dtype and shape."
                    ),
                ),
                ("samples", models.JSONField(default=list, help_text="Names and sizes of public cases.")),
                (
                    "limits",
                    models.JSONField(default=dict, help_text="compile_s, case_s, memory_mib, source_kib."),
                ),
                (
                    "published",
                    models.BooleanField(
                        default=True, help_text="Only published problems are shown to users."
                    ),
                ),
                ("added", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                "ordering": ["track_day", "slug"],
            },
        ),
        migrations.CreateModel(
            name="Tagging",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=40)),
                (
                    "problem",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="taggings",
                        to="catalog.problem",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="problem",
            constraint=models.CheckConstraint(
                condition=models.Q(("difficulty__in", ["easy", "medium", "hard"])),
                name="problem_difficulty_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="tagging",
            constraint=models.UniqueConstraint(fields=("name", "problem"), name="tagging_once"),
        ),
    ]
