"""The columns that every kind of job has: state, lease, fencing token, place in its queue."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from django.apps import apps
from django.db import models
from django.db.models import Q
from django.utils import timezone

QUEUE_CHARACTERS = 128
WORKER_CHARACTERS = 120
CPU = "cpu"  # the queue of jobs that any worker may take; `web.submissions.queues` has the others
# Prefix of the queues that only the personal nodes of one user serve. These nodes poll, so no message wakes
# them.
PERSONAL = "personal."
# The priority of rejudges: they wait for all other jobs, and take no share of their authors'.
REJUDGED = 0
# The order of claims: the most urgent job first; then the first job of each user before any user's second
# job; then the oldest job.
ORDER = ("-priority", "fair_share_rank", "queued", "pk")


class JobState(models.TextChoices):
    """The state of a job.

                    claim                  record, last try failed
        QUEUED ------------------> LEASED ------------------------> DONE
          |  ^                       |  |                            |
          |  +--- return, sweep -----+  |                            |
          |  +------------------ requeued on request ----------------+
          |                             |
          +---------- cancel -----------+-----> CANCELLED

    A claim of a row whose lease has expired leads from LEASED to LEASED, under the next attempt. A submission
    that its author cancels is DONE, with the verdict `cancelled`. Cancelled jobs of other kinds have no
    result, and are CANCELLED. A waiting job that no host can run is DONE, with that failure.
    """

    QUEUED = "queued", "Waiting"
    LEASED = "leased", "Running"
    DONE = "done", "Done"
    CANCELLED = "cancelled", "Cancelled"


OPEN = (JobState.QUEUED, JobState.LEASED)


class JobKind(StrEnum):
    """The kind of a job, in the order in which workers claim them."""

    SUBMISSION = "submission"
    PREVIEW = "preview"
    PROOF = "proof"
    IMPORT = "import"
    REJUDGE = "rejudge"


@dataclass(frozen=True, slots=True)
class Listed:
    """The columns that describe a kind of job in lists, through foreign keys where necessary.

    `kind` is a JobKind, or the column that has it. `key` identifies the job in the URL of its page. Set
    `while_waiting` to false for a kind with thousands of waiting jobs: then a job is listed only while a
    worker has it.
    """

    kind: JobKind | str
    subject: str
    person: str
    key: str = "pk"
    while_waiting: bool = True


class LeasedJob(models.Model):
    """A job that workers claim. Only the row decides which worker has the job; see `web.jobs.queue`.

    `attempt` is the fencing token. It grows with every claim and never shrinks, so a write that names an old
    attempt changes nothing. `tries` counts the claims that are charged. `queue` is a class of hardware.
    `excluded_hosts` maps each host that returned the job because it cannot run it to the reason.
    `fair_share_rank` is how many open jobs its owner had when it was queued, see `web.jobs.fair_share`.
    """

    listed: ClassVar[Listed]

    state = models.CharField(max_length=9, choices=JobState.choices, default=JobState.QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    tries = models.PositiveIntegerField(default=0)
    queue = models.CharField(
        max_length=QUEUE_CHARACTERS,
        blank=True,
        default=CPU,
        db_default=CPU,
        help_text="Hardware that the job needs.",
    )
    priority = models.SmallIntegerField(
        default=REJUDGED, db_default=REJUDGED, help_text="Jobs with a higher priority are claimed first."
    )
    fair_share_rank = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Number of unfinished jobs that the user already had."
    )
    queued = models.DateTimeField(default=timezone.now, editable=False, help_text="When the job was queued.")
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=WORKER_CHARACTERS, blank=True)
    excluded_hosts = models.JSONField(
        default=dict, db_default={}, blank=True, help_text="Hosts that cannot run the job, with the reasons."
    )

    class Meta:
        abstract = True
        indexes = [
            models.Index(
                fields=["queue", "-priority", "fair_share_rank", "queued", "id"],
                name="%(class)s_next_of_queue",
                condition=Q(state=JobState.QUEUED.value),
            ),
            # No index on the end of leases: every heartbeat would write to it.
            models.Index(fields=["queue"], name="%(class)s_leased", condition=Q(state=JobState.LEASED.value)),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=JobState.values), name="%(class)s_state_known"),
            models.CheckConstraint(
                condition=Q(state=JobState.LEASED.value, lease_until__isnull=False)
                | (~Q(state=JobState.LEASED.value) & Q(lease_until__isnull=True)),
                name="%(class)s_leased_until",
            ),
        ]

    @property
    def over(self) -> bool:
        """Return whether the state is final."""
        return self.state not in OPEN


def personal_queue(user_id: int) -> str:
    """Return the queue that only the personal nodes of this user serve."""
    return f"{PERSONAL}{user_id}"


def is_personal(queue: str) -> bool:
    """Return whether only personal nodes serve `queue`."""
    return queue.startswith(PERSONAL)


def job_models() -> list[type[LeasedJob]]:
    """Return the models of all kinds of jobs."""
    return [model for model in apps.get_models() if issubclass(model, LeasedJob)]
