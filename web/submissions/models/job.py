"""The job of a submission and its events. The rows are authoritative; the broker only wakes workers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from web.jobs.models import OPEN, REJUDGED, JobKind, LeasedJob, Listed
from web.submissions.models.submission import Submission


class Priority(models.IntegerChoices):
    """The urgency of a job. More urgent jobs are claimed first."""

    REJUDGE = REJUDGED
    SUBMIT = 10
    RUN = 20
    CONTEST = 30


class Job(LeasedJob):
    """The job of one submission.

    `events` is the sequence number of the submission's latest event. `user` is the submission's, stored here
    to count jobs by user. If a version of the site without queues created the job, `queue` is empty until the
    next sweep, and `user` is missing if the job was over by then.
    """

    listed = Listed(
        JobKind.SUBMISSION,
        subject="submission__problem__slug",
        person="submission__user__username",
        key="submission__public_id",
    )

    submission = models.OneToOneField(Submission, models.CASCADE, related_name="job")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="jobs", null=True, blank=True, db_index=False
    )
    cancel_requested = models.BooleanField(default=False)
    events = models.PositiveIntegerField(default=0)

    class Meta(LeasedJob.Meta):
        indexes = [
            *LeasedJob.Meta.indexes,
            models.Index(
                fields=["-priority", "fair_share_rank", "queued", "id"],
                name="job_in_order",
                condition=Q(state__in=OPEN),
            ),
            models.Index(fields=["user", "queued"], name="job_of_user", condition=Q(state__in=OPEN)),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id}: {self.state}"


class EventKind(models.TextChoices):
    """The kind of an event. `finished` is the last one of a judgement."""

    QUEUED = "queued"
    CLAIMED = "claimed"
    COMPILING = "compiling"
    COMPILED = "compiled"
    CASE = "case"
    DISTURBED = "disturbed"
    WAITING = "waiting"
    TIMING = "timing"
    RETRIED = "retried"
    FINISHED = "finished"


class Event(models.Model):
    """A step of a judgement, for clients. Append-only; `sequence` counts from 1 without gaps."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="events")
    sequence = models.PositiveIntegerField()
    kind = models.CharField(max_length=12, choices=EventKind.choices)
    payload = models.JSONField(default=dict)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["sequence"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "sequence"], name="event_sequence_unique"),
            models.CheckConstraint(condition=Q(kind__in=EventKind.values), name="event_kind_known"),
        ]

    def __str__(self) -> str:
        return f"{self.submission_id}#{self.sequence} {self.kind}"
