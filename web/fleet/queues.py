"""What waits for which hardware, beside who takes it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from web.fleet.models import Duty
from web.fleet.queries import NodeNow
from web.jobs.models import JobState
from web.submissions.models import Job


@dataclass(frozen=True, slots=True)
class QueueNow:
    """A class of hardware: how many submissions wait for it, and how many workers take them."""

    queue: str
    waiting: int
    workers: int

    @property
    def forsaken(self) -> bool:
        """Whether something waits that nobody takes."""
        return self.waiting > 0 and self.workers == 0


def queues_now(nodes: Iterable[NodeNow]) -> list[QueueNow]:
    """Every class of hardware for which something waits, or from which workers of `nodes` take.

    Workers that are drained or cannot judge take nothing.
    """
    jobs = Job.objects.filter(state=JobState.QUEUED).order_by().values_list("queue")
    waiting = dict(jobs.annotate(count=Count("pk")))
    taking = Counter(
        queue
        for now in nodes
        for worker in now.live_workers
        if worker.state == Duty.SERVING and not worker.message
        for queue in worker.queues
    )
    names = sorted(waiting.keys() | taking.keys())
    return [QueueNow(name, waiting.get(name, 0), taking[name]) for name in names]
