"""The audit log, and rejudges with their hidden runs."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from problems.vocabulary import Verdict
from web.jobs.models import JobKind, JobState, LeasedJob, Listed
from web.submissions.models import STAMP_CHARACTERS, Submission

NAME_CHARACTERS = 30
TEXT_CHARACTERS = 200


class ActKind(models.TextChoices):
    """What can be done that is logged. A kind is never renamed: rows keep it for good."""

    REJUDGE = "submission.rejudge", "Had a submission judged again"
    CANCEL = "submission.cancel", "Cancelled a submission"
    REQUEUE = "submission.requeue", "Queued a stuck submission again"
    ANY_GPU = "submission.any_gpu", "Let a submission go to any GPU"
    PREVIEW_START = "rejudge.start", "Started a preview of a rejudge"
    PREVIEW_CANCEL = "rejudge.cancel", "Cancelled a preview of a rejudge"
    PREVIEW_APPLY = "rejudge.apply", "Applied a rejudge"
    PREVIEW_DISCARD = "rejudge.discard", "Discarded a preview of a rejudge"
    POST_HIDE = "post.hide", "Hid a post"
    POST_RESTORE = "post.restore", "Restored a post"
    POST_DISMISS = "post.dismiss", "Dismissed a report of a post"
    BAN = "discussion.ban", "Banned a person from discussions"
    UNBAN = "discussion.unban", "Lifted a ban from discussions"
    BASELINE_SET = "baseline.set", "Set a baseline"
    BASELINE_REMOVE = "baseline.remove", "Removed a baseline"
    ROLE = "user.role", "Changed what a person may do"
    MEMBER = "workspace.member", "Changed who writes a problem"
    WORKSPACE_ARCHIVE = "workspace.archive", "Archived a workspace"
    WORKSPACE_RETURN = "workspace.return", "Took a workspace back from the archive"
    WORKSPACE_DELETE = "workspace.delete", "Deleted a workspace"
    PUBLISH = "problem.publish", "Published a problem"
    WITHDRAW = "problem.withdraw", "Withdrew a problem"
    SHOW = "problem.show", "Showed a withdrawn problem again"
    VERSION_ARCHIVE = "version.archive", "Archived a version of a problem"
    VERSION_RETURN = "version.return", "Took a version of a problem back from the archive"
    TOKEN_REVOKE = "token.revoke", "Revoked somebody's token"
    NODE_REMOVE = "node.remove", "Removed a node"
    NODE_DRAIN = "node.drain", "Drained a node"
    NODE_UNDRAIN = "node.undrain", "Ended the drain of a node"
    GPU_HOLD = "gpu.hold", "Quarantined a GPU"
    GPU_RELEASE = "gpu.release", "Released a GPU from quarantine"
    RESTORE = "site.restore", "Restored the site from a backup"
    ADD = "admin.add", "Added in the administration"
    CHANGE = "admin.change", "Changed in the administration"
    DELETE = "admin.delete", "Deleted in the administration"


class Act(models.Model):
    """Something that was done with more rights than a learner has. Append-only.

    The names are kept beside the keys, so that a row says what it said when its people and things are
    gone. No address and no browser is kept.
    """

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="acts"
    )
    actor_name = models.CharField(
        max_length=NAME_CHARACTERS, blank=True, help_text="Empty for the command line."
    )
    kind = models.CharField(max_length=30)
    target_kind = models.CharField(max_length=30, blank=True)
    target_id = models.CharField(max_length=40, blank=True)
    target_text = models.CharField(max_length=TEXT_CHARACTERS, blank=True)
    details = models.JSONField(default=dict, blank=True)
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["kind", "-id"], name="act_by_kind"),
            models.Index(fields=["actor_name", "-id"], name="act_by_actor"),
            models.Index(fields=["target_kind", "target_id", "-id"], name="act_by_target"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name or 'command line'}: {self.kind} {self.target_text}".rstrip()

    @property
    def label(self) -> str:
        """The kind in words; itself where it is none of ours any more."""
        return ActKind(self.kind).label if self.kind in ActKind.values else self.kind

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The details in words; those that say nothing are left out."""
        return [(name.replace("_", " "), _words(value)) for name, value in self.details.items() if value]


def _words(value: object) -> str:
    match value:
        case list():
            return ", ".join(_words(entry) for entry in value)
        case dict():
            return ", ".join(f"{name} {_words(entry)}" for name, entry in value.items())
        case True:
            return "yes"
    return "no" if value in (False, None) else str(value)


class RejudgeState(models.TextChoices):
    """Where a rejudge stands. What a ready one found is applied or discarded by staff."""

    RUNNING = "running"
    READY = "ready"
    APPLYING = "applying"
    APPLIED = "applied"
    DISCARDED = "discarded"
    CANCELLED = "cancelled"


UNANSWERED = (RejudgeState.RUNNING, RejudgeState.READY, RejudgeState.APPLYING)


class Rejudge(models.Model):
    """Submissions that are judged again out of sight, to see what would change.

    `chosen` is what staff asked for, in words of the form. `package` is the version whose effect it previews,
    empty where every submission is judged by the version that is live. While it runs and until it is applied,
    no visible verdict changes.
    """

    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="rejudges"
    )
    reason = models.CharField(max_length=TEXT_CHARACTERS)
    chosen = models.JSONField(default=dict)
    package = models.ForeignKey(
        "packages.PackageVersion",
        models.SET_NULL,
        null=True,
        blank=True,
        db_index=False,
        related_name="rejudges",
    )
    state = models.CharField(max_length=9, choices=RejudgeState.choices, default=RejudgeState.RUNNING)
    created = models.DateTimeField(default=timezone.now, editable=False)
    ended = models.DateTimeField(null=True, blank=True, help_text="When it was applied, discarded or ended.")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=RejudgeState.values), name="rejudge_state_known")
        ]

    def __str__(self) -> str:
        return f"rejudge {self.pk}"


class Resolution(models.TextChoices):
    """What became of what a run found. `kept`: the visible verdict was kept, and `note` says why."""

    OPEN = "open"
    APPLIED = "applied"
    KEPT = "kept"
    DROPPED = "dropped"


class Change(models.TextChoices):
    """What a hidden run found. Times differ where the intervals of the scores do not meet."""

    SAME = "same", "Same"
    VERDICT = "verdict", "Other verdict"
    FASTER = "faster", "Faster"
    SLOWER = "slower", "Slower"
    OTHER_GPU = "other_gpu", "Other GPU"
    FAILED = "failed", "The judge failed"


class HiddenRun(LeasedJob):
    """A submission judged again out of sight: the job, the report before and the report now in one row.

    `report_id` is the visible report that it is compared with: when that is another one by the time of
    applying, it is kept. The body and the packed listings are dropped once they are of no more use. `package`
    is what it is judged by, chosen when the rejudge starts.
    """

    listed = Listed(
        JobKind.REJUDGE,
        subject="submission__problem__slug",
        person="rejudge__creator__username",
        key="rejudge",
        while_waiting=False,
    )

    rejudge = models.ForeignKey(Rejudge, models.CASCADE, related_name="runs")
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="hidden_runs")
    package = models.ForeignKey(
        "packages.PackageVersion",
        models.SET_NULL,
        null=True,
        blank=True,
        db_index=False,
        related_name="hidden_runs",
    )
    resolution = models.CharField(max_length=7, choices=Resolution.choices, default=Resolution.OPEN)

    report_id = models.BigIntegerField()
    old_verdict = models.CharField(max_length=16, choices=[(v.value, v.value) for v in Verdict])
    old_version = models.CharField(max_length=64, blank=True)
    old_gpu_model = models.CharField(max_length=STAMP_CHARACTERS, blank=True)
    old_score_us = models.FloatField(null=True, blank=True)
    old_low_us = models.FloatField(null=True, blank=True)
    old_high_us = models.FloatField(null=True, blank=True)

    verdict = models.CharField(max_length=16, blank=True, choices=[(v.value, v.value) for v in Verdict])
    message = models.TextField(blank=True)
    version = models.CharField(max_length=64, blank=True)
    gpu_model = models.CharField(max_length=STAMP_CHARACTERS, blank=True)
    score_us = models.FloatField(null=True, blank=True)
    low_us = models.FloatField(null=True, blank=True)
    high_us = models.FloatField(null=True, blank=True)
    change = models.CharField(max_length=9, blank=True, choices=Change.choices)
    body = models.JSONField(null=True, blank=True)
    listings = models.BinaryField(null=True, blank=True)
    note = models.CharField(max_length=TEXT_CHARACTERS, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta(LeasedJob.Meta):
        ordering = ["pk"]
        indexes = [
            *LeasedJob.Meta.indexes,
            models.Index(fields=["rejudge", "change", "id"], name="hidden_run_by_change"),
            models.Index(fields=["rejudge", "state"], name="hidden_run_by_state"),
        ]
        constraints = [
            *LeasedJob.Meta.constraints,
            models.UniqueConstraint(fields=["rejudge", "submission"], name="hidden_run_once"),
            models.CheckConstraint(
                condition=Q(resolution__in=Resolution.values), name="hidden_run_resolution_known"
            ),
            models.CheckConstraint(
                condition=~Q(state=JobState.DONE.value, resolution=Resolution.OPEN.value)
                | (~Q(verdict="") & Q(body__isnull=False)),
                name="hidden_run_done_has_report",
            ),
            models.CheckConstraint(
                condition=Q(score_us__isnull=True)
                | Q(low_us__gt=0, score_us__gte=F("low_us"), high_us__gte=F("score_us")),
                name="hidden_run_score_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rejudge_id}: {self.submission_id} {self.state}"
