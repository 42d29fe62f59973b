"""The audit log."""

from django.conf import settings
from django.db import models
from django.utils import timezone

NAME_CHARACTERS = 30
TEXT_CHARACTERS = 200


class AuditKind(models.TextChoices):
    """The kinds of acts that the log records. Never rename a kind, because rows keep it forever."""

    REJUDGE = "submission.rejudge", "Rejudged a submission"
    CANCEL = "submission.cancel", "Cancelled a submission"
    REQUEUE = "submission.requeue", "Requeued a stuck submission"
    ANY_GPU = "submission.any_gpu", "Allowed any GPU for a submission"
    PREVIEW_START = "rejudge.start", "Started a dry-run rejudge"
    PREVIEW_CANCEL = "rejudge.cancel", "Cancelled a dry-run rejudge"
    PREVIEW_APPLY = "rejudge.apply", "Applied a rejudge"
    PREVIEW_DISCARD = "rejudge.discard", "Discarded a dry-run rejudge"
    POST_HIDE = "post.hide", "Hid a post"
    POST_RESTORE = "post.restore", "Restored a post"
    POST_DISMISS = "post.dismiss", "Dismissed reports of a post"
    BAN = "discussion.ban", "Banned a user from discussions"
    UNBAN = "discussion.unban", "Lifted a ban from discussions"
    INQUIRY_ANSWER = "inquiry.answer", "Answered a private question"
    INQUIRY_CLOSE = "inquiry.close", "Marked a private question as answered"
    BASELINE_SET = "baseline.set", "Set a baseline"
    BASELINE_REMOVE = "baseline.remove", "Removed a baseline"
    ROLE = "user.role", "Changed a user's permissions"
    MEMBER = "workspace.member", "Changed the members of a problem"
    WORKSPACE_ARCHIVE = "workspace.archive", "Archived a workspace"
    WORKSPACE_RETURN = "workspace.return", "Unarchived a workspace"
    WORKSPACE_DELETE = "workspace.delete", "Deleted a workspace"
    PUBLISH = "problem.publish", "Published a problem"
    WITHDRAW = "problem.withdraw", "Withdrew a problem"
    SHOW = "problem.show", "Restored a withdrawn problem"
    UNLOAD = "problem.unload", "Hid a problem whose package is missing or invalid"
    VERSION_ARCHIVE = "version.archive", "Archived a version of a problem"
    VERSION_RETURN = "version.return", "Unarchived a version of a problem"
    TRACK_ADD = "track.add", "Created a track"
    TRACK_CHANGE = "track.change", "Changed a track"
    TRACK_DELETE = "track.delete", "Deleted a track"
    QUIZ_WRITE = "quiz.write", "Uploaded a quiz"
    QUIZ_SHOW = "quiz.show", "Published a quiz"
    QUIZ_HIDE = "quiz.hide", "Hid a quiz"
    TOKEN_REVOKE = "token.revoke", "Revoked a user's token"
    NODE_INVITE = "node.invite", "Invited a node"
    NODE_JOIN = "node.join", "Let a node join"
    NODE_REMOVE = "node.remove", "Removed a node"
    NODE_DRAIN = "node.drain", "Drained a node"
    NODE_UNDRAIN = "node.undrain", "Resumed a drained node"
    GPU_HOLD = "gpu.hold", "Quarantined a GPU"
    GPU_RELEASE = "gpu.release", "Released a GPU from quarantine"
    QUOTA_SET = "quota.set", "Set a limit of GPU time"
    QUOTA_REMOVE = "quota.remove", "Removed a limit of GPU time"
    RESTORE = "site.restore", "Restored the site from a backup"
    ADD = "admin.add", "Added in the admin"
    CHANGE = "admin.change", "Changed in the admin"
    DELETE = "admin.delete", "Deleted in the admin"


class AuditEntry(models.Model):
    """An act that took more rights than a learner has. The log is append-only.

    A row stores names in addition to keys, so that it stays readable after its users and objects are deleted.
    It stores no IP address and no browser.
    """

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="audit_entries"
    )
    actor_name = models.CharField(
        max_length=NAME_CHARACTERS, blank=True, help_text="Empty if done on the command line."
    )
    kind = models.CharField(max_length=30)
    target_kind = models.CharField(max_length=30, blank=True)
    target_id = models.CharField(max_length=40, blank=True)
    target_text = models.CharField(max_length=TEXT_CHARACTERS, blank=True)
    details = models.JSONField(default=dict, blank=True)
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["kind", "-id"], name="audit_by_kind"),
            models.Index(fields=["actor_name", "-id"], name="audit_by_actor"),
            models.Index(fields=["target_kind", "target_id", "-id"], name="audit_by_target"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name or 'command line'}: {self.kind} {self.target_text}".rstrip()

    @property
    def label(self) -> str:
        """Return the kind in words, or the raw kind if it is no longer known."""
        return AuditKind(self.kind).label if self.kind in AuditKind.values else self.kind

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Return the details in words, without empty ones."""
        return [(name.replace("_", " "), _words(value)) for name, value in self.details.items() if value]


def _words(value: object) -> str:
    match value:
        case list():
            return ", ".join(_words(entry) for entry in value)
        case dict():
            return ", ".join(f"{name} {_words(entry)}" for name, entry in value.items())
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "none"
    return str(value)
