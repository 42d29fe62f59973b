"""Workspaces, in which problems are written, and all that belongs to one."""

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
    """Where a problem stands on its way to learners.

    `ready`: a proof of what the files say now holds. `published`: they say what the latest version says.
    Any change makes a draft of it again; what is published stays as it is meanwhile.
    """

    DRAFT = "draft", "Draft"
    PROVING = "proving", "Proving"
    READY = "ready", "Ready"
    PUBLISHED = "published", "Published"
    ARCHIVED = "archived", "Archived"


class Workspace(models.Model):
    """A problem that is being written. Its files are the truth; `title` follows from problem.toml.

    `revision` grows with every write and is what a write must name; `touched` says at which revision each
    path changed last, removed ones too. `published_hash` is the content hash of the version that this
    workspace published last, empty before the first.
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
    """The bytes that a file had at some revision of a workspace. Stored once, however often it is named."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="contents")
    digest = models.CharField(max_length=HASH_CHARACTERS, help_text="SHA-256 of the bytes.")
    size_bytes = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["workspace", "digest"], name="content_once")]

    def __str__(self) -> str:
        return self.digest[:12]


class WorkspaceFile(models.Model):
    """A file as it is now. `path` is relative to the package's folder, with slashes."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="files")
    path = models.CharField(max_length=PATH_CHARACTERS)
    content = models.ForeignKey(Content, models.PROTECT, related_name="files")

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["workspace", "path"], name="workspace_file_once")]

    def __str__(self) -> str:
        return f"{self.workspace_id}: {self.path}"


class Role(models.TextChoices):
    """What somebody is in a workspace, from most to least.

    Editors write, prove and comment. Reviewers read, prove and comment. Viewers read. The owner does all,
    publishes, and says who else is there.
    """

    OWNER = "owner", "Owner"
    EDITOR = "editor", "Editor"
    REVIEWER = "reviewer", "Reviewer"
    VIEWER = "viewer", "Viewer"


class Membership(models.Model):
    """Somebody in a workspace beside its owner, who is named there."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=8, choices=Role.choices)
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
    """What all files said at one revision. Not every one is kept; see `services.files`.

    `content_hash` is what a version of the same files is called, see `problems.contents`.
    `tree` has the digest of each file by path, `changed` what this revision did to which path: `added`,
    `changed` or `removed`. `kept` ones are never merged with the next: somebody gave them a note, they were
    proved or published, or a restore replaced them.
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
    """What a member says about a line of a file, or about the file where `line` is null.

    `revision` is the one that they read; lines may have moved since.
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
    """What a worker is asked to do: the whole proof, or a look at what one case draws."""

    PROOF = "proof", "Proof"
    PREVIEW = "preview", "Preview"


class ProofRun(LeasedJob):
    """A proof or a preview of what a workspace says at one revision: the job and what came of it in one row.

    `wanted` is what was asked for: of a proof `gpu`, the model that its timed cases must suit; of a preview
    `case` or `sizes`, and `seed`. `progress` is the latest step and those before it. A run that is done has a
    report, or says in `failure` why there is none: `report` of a proof is `judge.proof.results`'s, of a
    preview `judge.proof.preview`'s.
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
        null=True, blank=True, help_text="Whether the proof holds. Empty until it is done."
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
