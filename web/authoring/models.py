"""Workspaces, in which authors write problems, and everything that belongs to a workspace."""

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from web.jobs.models import JobState, LeasedJob, Listed

SLUG_CHARACTERS = 60
TITLE_CHARACTERS = 80
PATH_CHARACTERS = 120
NOTE_CHARACTERS = 200
COMMENT_CHARACTERS = 4000
HASH_CHARACTERS = 64
GPU_CHARACTERS = 120


class WorkspaceState(models.TextChoices):
    """The state of a problem on its way to learners.

    `ready`: a proof of the current files holds. `published`: the current files are those of the latest
    version. Any change makes the problem a draft again. The published version stays unchanged.
    """

    DRAFT = "draft", "Draft"
    PROVING = "proving", "Proving"
    READY = "ready", "Ready"
    PUBLISHED = "published", "Published"
    ARCHIVED = "archived", "Archived"


class Workspace(models.Model):
    """A problem in development. Its files are the source of truth; `title` is derived from problem.toml.

    `revision` grows with every write, and a write must name it. `touched` maps each path to the revision that
    changed it last, also for removed paths. `published_hash` is the content hash of the version that this
    workspace published last, or empty before the first.
    """

    slug = models.CharField(
        max_length=SLUG_CHARACTERS,
        unique=True,
        validators=[RegexValidator(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", "Lower-case words joined by hyphens.")],
    )
    title = models.CharField(max_length=TITLE_CHARACTERS, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="workspaces"
    )
    state = models.CharField(max_length=9, choices=WorkspaceState.choices, default=WorkspaceState.DRAFT)
    revision = models.PositiveIntegerField(default=0)
    touched = models.JSONField(default=dict)
    published_hash = models.CharField(max_length=HASH_CHARACTERS, blank=True)
    created = models.DateTimeField(default=timezone.now, editable=False)
    changed = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-changed", "-pk"]
        indexes = [models.Index(fields=["owner", "-changed"], name="workspace_of_owner")]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=WorkspaceState.values), name="workspace_state_known")
        ]

    def __str__(self) -> str:
        return self.slug


class Content(models.Model):
    """The bytes of a file at some revision of a workspace. Equal contents of a workspace are stored once."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="contents")
    digest = models.CharField(max_length=HASH_CHARACTERS, help_text="SHA-256 of the bytes.")
    size_bytes = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "digest"], name="content_once")]

    def __str__(self) -> str:
        return self.digest[:12]


class WorkspaceFile(models.Model):
    """A current file. `path` is relative to the package's folder and uses slashes."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="files")
    path = models.CharField(max_length=PATH_CHARACTERS)
    content = models.ForeignKey(Content, models.PROTECT, related_name="files")

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["workspace", "path"], name="workspace_file_once")]

    def __str__(self) -> str:
        return f"{self.workspace_id}: {self.path}"


class Role(models.TextChoices):
    """The role of a member in a workspace, from most to fewest rights.

    Viewers read. Reviewers also prove and comment. Editors also write. The owner has all rights, publishes,
    and manages the members.
    """

    OWNER = "owner", "Owner"
    EDITOR = "editor", "Editor"
    REVIEWER = "reviewer", "Reviewer"
    VIEWER = "viewer", "Viewer"


class Membership(models.Model):
    """The membership of a user in a workspace. The owner is not a row here, but a column of the workspace.

    `offered` says that the owner offers this member the ownership.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=8, choices=Role.choices)
    offered = models.BooleanField(default=False, db_default=False)
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["user__username"]
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=Q(role__in=[Role.EDITOR.value, Role.REVIEWER.value, Role.VIEWER.value]),
                name="membership_role_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.workspace_id}: {self.user_id} {self.role}"


class Revision(models.Model):
    """The state of all files at one revision. Not every revision is kept; see `services.files`.

    `content_hash` is the name of a version with the same files; see `problems.contents`. `tree` maps each
    path to the digest of its file. `changed` maps each changed path to `added`, `changed` or `removed`. A
    revision that is `kept` is never merged with the next: it has a note, was proved or published, or a
    restore replaced it.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="revisions"
    )
    note = models.CharField(max_length=NOTE_CHARACTERS, blank=True)
    content_hash = models.CharField(max_length=HASH_CHARACTERS)
    tree = models.JSONField(default=dict)
    changed = models.JSONField(default=dict)
    kept = models.BooleanField(default=False)
    since = models.DateTimeField(
        default=timezone.now, editable=False, help_text="Time of the first write in this revision."
    )
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["workspace", "number"], name="revision_once")]

    def __str__(self) -> str:
        return f"{self.workspace_id}: {self.number}"


class Comment(models.Model):
    """A member's comment on a line of a file, or on the whole file if `line` is null.

    `revision` is the revision that the member read. The line may have moved since.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="comments")
    path = models.CharField(max_length=PATH_CHARACTERS)
    line = models.PositiveIntegerField(null=True, blank=True, help_text="Counted from 1.")
    revision = models.PositiveIntegerField()
    text = models.TextField(max_length=COMMENT_CHARACTERS)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="author_comments"
    )
    created = models.DateTimeField(default=timezone.now, editable=False)
    resolved = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="resolved_comments"
    )

    class Meta:
        ordering = ["path", F("line").asc(nulls_first=True), "pk"]
        indexes = [models.Index(fields=["workspace", "path", "line"], name="comment_of_line")]
        constraints = [
            models.CheckConstraint(
                condition=Q(line__isnull=True) | Q(line__gte=1), name="comment_line_counted"
            )
        ]

    def __str__(self) -> str:
        return f"{self.workspace_id}: {self.path}:{self.line or ''}"


class RunKind(models.TextChoices):
    """The kinds of jobs for a worker: a full proof, a trial of solutions, or a preview of one case."""

    PROOF = "proof", "Proof"
    TRIAL = "trial", "Trial"
    PREVIEW = "preview", "Preview"


class ProofRun(LeasedJob):
    """A proof, a trial or a preview of a workspace at one revision. The row is both the job and its result.

    `wanted` holds the parameters. A proof has `gpu`, the model that its timed cases must suit. A trial has
    `files`, the names of its solutions. A preview has `case` or `sizes`, and `seed`. `progress` lists the
    latest step and those before it. A finished run has a report, or `failure` says why there is none.
    `report` has the format of `judge.proof.results` for a proof and a trial, and that of
    `judge.proof.preview` for a preview.
    """

    listed = Listed("kind", subject="workspace__slug", person="by__username")

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="runs")
    revision = models.ForeignKey(Revision, models.CASCADE, related_name="runs")
    content_hash = models.CharField(max_length=HASH_CHARACTERS, blank=True)
    kind = models.CharField(max_length=7, choices=RunKind.choices)
    wanted = models.JSONField(default=dict)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="proof_runs"
    )
    progress = models.JSONField(default=dict)
    holds = models.BooleanField(
        null=True, blank=True, help_text="Whether all is as expected. Empty until it is done."
    )
    report = models.JSONField(null=True, blank=True)
    failure = models.TextField(blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta(LeasedJob.Meta):
        ordering = ["-pk"]
        indexes = [
            *LeasedJob.Meta.indexes,
            models.Index(fields=["workspace", "kind", "-id"], name="proof_run_latest"),
        ]
        constraints = [
            *LeasedJob.Meta.constraints,
            models.CheckConstraint(condition=Q(kind__in=RunKind.values), name="proof_run_kind_known"),
            models.CheckConstraint(
                condition=~Q(state=JobState.DONE.value) | Q(report__isnull=False) | ~Q(failure=""),
                name="proof_run_done_says_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.workspace_id}@{self.revision_id}: {self.kind} {self.state}"
