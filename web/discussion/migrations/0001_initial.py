import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_initial"),
        ("catalog", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Ban",
            fields=[
                (
                    "person",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="discussion_ban",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("reason", models.CharField(help_text="The person reads this.", max_length=500)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("until", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-created", "-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("until__isnull", True), ("until__gt", models.F("created")), _connector="OR"
                        ),
                        name="ban_ends_later",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Post",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField(max_length=10000)),
                ("opening", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("shown", "Shown"), ("hidden", "Hidden"), ("deleted", "Deleted")],
                        default="shown",
                        max_length=8,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True, help_text="Why staff hid it; its author reads this.", max_length=500
                    ),
                ),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("edited", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="posts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="Revision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("written", models.DateTimeField(help_text="When the post began to say this.")),
                ("replaced", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "post",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="discussion.post",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Thread",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(max_length=120)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("latest", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("replies", models.PositiveIntegerField(default=0, editable=False)),
                (
                    "shown",
                    models.BooleanField(
                        default=True,
                        editable=False,
                        help_text="Whether a post of it can be read, so that it is listed.",
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="threads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "problem",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="threads",
                        to="catalog.problem",
                    ),
                ),
            ],
            options={
                "ordering": ["-latest", "-pk"],
            },
        ),
        migrations.AddField(
            model_name="post",
            name="thread",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="posts", to="discussion.thread"
            ),
        ),
        migrations.CreateModel(
            name="Flag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.CharField(max_length=500)),
                (
                    "answer",
                    models.CharField(
                        choices=[("open", "Open"), ("hidden", "Hidden"), ("dismissed", "Dismissed")],
                        default="open",
                        max_length=9,
                    ),
                ),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("answered", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="flags",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "post",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flags",
                        to="discussion.post",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "indexes": [models.Index(fields=["answer", "-id"], name="flag_by_answer")],
                "constraints": [
                    models.UniqueConstraint(fields=("post", "person"), name="flag_once"),
                    models.CheckConstraint(
                        condition=models.Q(("answer__in", ["open", "hidden", "dismissed"])),
                        name="flag_answer_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("answer", "open"), ("answered__isnull", True)),
                            models.Q(
                                models.Q(("answer", "open"), _negated=True), ("answered__isnull", False)
                            ),
                            _connector="OR",
                        ),
                        name="flag_answered_when",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="thread",
            index=models.Index(fields=["problem", "-latest", "-id"], name="thread_latest"),
        ),
        migrations.AddIndex(
            model_name="post",
            index=models.Index(fields=["thread", "id"], name="post_of_thread"),
        ),
        migrations.AddIndex(
            model_name="post",
            index=models.Index(fields=["author", "-created"], name="post_of_author"),
        ),
        migrations.AddConstraint(
            model_name="post",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["shown", "hidden", "deleted"])), name="post_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="post",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), ("state", "hidden"), _connector="OR"),
                name="post_reason_where_hidden",
            ),
        ),
        migrations.AddConstraint(
            model_name="post",
            constraint=models.UniqueConstraint(
                condition=models.Q(("opening", True)), fields=("thread",), name="post_one_opens"
            ),
        ),
    ]
