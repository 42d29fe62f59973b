"""The live panel, which shows the progress of an unfinished submission."""

from dataclasses import dataclass

from web.jobs.models import JobState
from web.submissions import queries
from web.submissions.models import Event, EventKind, Submission
from web.submissions.queue_position import queue_positions


@dataclass(frozen=True, slots=True)
class LivePanel:
    """The progress of a judgement. `after` is the sequence number from which a client follows it.

    `stage` and `detail` are for browsers without scripts, and for the moment before the first event.
    """

    after: int
    stage: str
    detail: str

    @property
    def spoken(self) -> str:
        """Return one sentence for a screen reader."""
        return f"{self.stage}. {self.detail}".strip()


def live_panel(submission: Submission) -> LivePanel:
    """Return the panel of a submission without a report."""
    after = queries.judgement_start(submission)
    if submission.job.state == JobState.QUEUED:
        position = queue_positions([submission.pk]).get(submission.pk)
        if position is not None:
            return LivePanel(after, position.text, position.detail)
    return LivePanel(after, _latest(submission), "")


def _latest(submission: Submission) -> str:
    event = Event.objects.filter(submission=submission).last()
    if event is None or event.kind == EventKind.FINISHED:
        return "Waiting for a worker"  # a worker took it between the two queries
    return str(event.payload.get("text") or event.kind)
