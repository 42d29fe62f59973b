"""The live panel: what a submission that is not judged waits for, as far as the server knows."""

from dataclasses import dataclass

from web.jobs.models import JobState
from web.submissions import queries
from web.submissions.models import Event, EventKind, Submission
from web.submissions.queue_position import queue_positions


@dataclass(frozen=True, slots=True)
class LivePanel:
    """Where a judgement is. `after` is the sequence number from which a watcher follows it.

    `stage` and `detail` are for those who watch without scripts, and for the moment before the first event.
    """

    after: int
    stage: str
    detail: str

    @property
    def spoken(self) -> str:
        """For a screen reader: one sentence."""
        return f"{self.stage}. {self.detail}".strip()


def live_panel(submission: Submission) -> LivePanel:
    """The panel of a submission without a report."""
    after = queries.judgement_start(submission)
    if submission.job.state == JobState.QUEUED:
        position = queue_positions([submission.pk]).get(submission.pk)
        if position is not None:
            return LivePanel(after, position.text, position.detail)
    return LivePanel(after, _latest(submission), "")


def _latest(submission: Submission) -> str:
    event = Event.objects.filter(submission=submission).last()
    if event is None or event.kind == EventKind.FINISHED:
        return "Waiting for a worker"  # it was taken between two looks
    return str(event.payload.get("text") or event.kind)
