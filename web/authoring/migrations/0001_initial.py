import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Workspace",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "slug",
                    models.CharField(
                        max_length=60,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9]*(-[a-z0-9]+)*$", "Lower-case words joined by hyphens."
                            )
                        ],
                    ),
                ),
                ("title", models.CharField(blank=True, max_length=80)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("proving", "Proving"),
                            ("ready", "Ready"),
                            ("published", "Published"),
                            ("archived", "Archived"),
                        ],
                        default="draft",
                        max_length=9,
                    ),
                ),
                ("revision", models.PositiveIntegerField(default=0)),
                ("touched", models.JSONField(default=dict)),
                ("published_hash", models.CharField(blank=True, max_length=64)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("changed", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="workspaces",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-changed", "-pk"],
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
                ("number", models.PositiveIntegerField()),
                ("note", models.CharField(blank=True, max_length=200)),
                ("content_hash", models.CharField(max_length=64)),
                ("tree", models.JSONField(default=dict)),
                ("changed", models.JSONField(default=dict)),
                ("kept", models.BooleanField(default=False)),
                (
                    "since",
                    models.DateTimeField(
                        default=django.utils.timezone.now,
                        editable=False,
                        help_text="Of the first write in it.",
                    ),
                ),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="revisions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="authoring.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.CreateModel(
            name="ProofRun",
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
                ("content_hash", models.CharField(blank=True, max_length=64)),
                (
                    "kind",
                    models.CharField(choices=[("proof", "Proof"), ("preview", "Preview")], max_length=7),
                ),
                ("wanted", models.JSONField(default=dict)),
                ("progress", models.JSONField(default=dict)),
                (
                    "holds",
                    models.BooleanField(
                        blank=True, help_text="Of a proof that is done: whether it holds.", null=True
                    ),
                ),
                ("report", models.JSONField(blank=True, null=True)),
                ("failure", models.TextField(blank=True)),
                ("finished", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="proof_runs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="authoring.revision",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="runs",
                        to="authoring.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("owner", "Owner"),
                            ("editor", "Editor"),
                            ("reviewer", "Reviewer"),
                            ("viewer", "Viewer"),
                        ],
                        max_length=8,
                    ),
                ),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="authoring.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["user__username"],
            },
        ),
        migrations.CreateModel(
            name="Content",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(help_text="SHA-256 of the bytes.", max_length=64)),
                ("size_bytes", models.PositiveIntegerField()),
                ("data", models.BinaryField()),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="contents",
                        to="authoring.workspace",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Comment",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("path", models.CharField(max_length=120)),
                ("line", models.PositiveIntegerField(blank=True, help_text="Counted from 1.", null=True)),
                ("revision", models.PositiveIntegerField()),
                ("text", models.TextField(max_length=4000)),
                ("created", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("resolved", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="author_comments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "resolved_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="resolved_comments",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="authoring.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["path", models.OrderBy(models.F("line"), nulls_first=True), "pk"],
            },
        ),
        migrations.CreateModel(
            name="WorkspaceFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("path", models.CharField(max_length=120)),
                (
                    "content",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="files",
                        to="authoring.content",
                    ),
                ),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="authoring.workspace",
                    ),
                ),
            ],
            options={
                "ordering": ["path"],
            },
        ),
        migrations.AddIndex(
            model_name="workspace",
            index=models.Index(fields=["owner", "-changed"], name="workspace_of_owner"),
        ),
        migrations.AddConstraint(
            model_name="workspace",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["draft", "proving", "ready", "published", "archived"])),
                name="workspace_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.UniqueConstraint(fields=("workspace", "number"), name="revision_once"),
        ),
        migrations.AddIndex(
            model_name="proofrun",
            index=models.Index(
                condition=models.Q(("state", "queued")),
                fields=["queue", "-priority", "fair_share_rank", "queued", "id"],
                name="proofrun_next_of_queue",
            ),
        ),
        migrations.AddIndex(
            model_name="proofrun",
            index=models.Index(
                condition=models.Q(("state", "leased")), fields=["queue"], name="proofrun_leased"
            ),
        ),
        migrations.AddIndex(
            model_name="proofrun",
            index=models.Index(fields=["workspace", "kind", "-id"], name="proof_run_latest"),
        ),
        migrations.AddConstraint(
            model_name="proofrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "leased", "done", "cancelled"])),
                name="proofrun_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="proofrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("lease_until__isnull", False), ("state", "leased")),
                    models.Q(models.Q(("state", "leased"), _negated=True), ("lease_until__isnull", True)),
                    _connector="OR",
                ),
                name="proofrun_leased_until",
            ),
        ),
        migrations.AddConstraint(
            model_name="proofrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["proof", "preview"])), name="proof_run_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="proofrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "done"), _negated=True),
                    ("report__isnull", False),
                    models.Q(("failure", ""), _negated=True),
                    _connector="OR",
                ),
                name="proof_run_done_says_something",
            ),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.UniqueConstraint(fields=("workspace", "user"), name="membership_once"),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["editor", "reviewer", "viewer"])),
                name="membership_role_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="content",
            constraint=models.UniqueConstraint(fields=("workspace", "digest"), name="content_once"),
        ),
        migrations.AddIndex(
            model_name="comment",
            index=models.Index(fields=["workspace", "path", "line"], name="comment_of_line"),
        ),
        migrations.AddConstraint(
            model_name="comment",
            constraint=models.CheckConstraint(
                condition=models.Q(("line__isnull", True), ("line__gte", 1), _connector="OR"),
                name="comment_line_counted",
            ),
        ),
        migrations.AddConstraint(
            model_name="workspacefile",
            constraint=models.UniqueConstraint(fields=("workspace", "path"), name="workspace_file_once"),
        ),
    ]
