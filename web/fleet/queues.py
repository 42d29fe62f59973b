"""The number of waiting submissions and of workers for each class of hardware."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from web.fleet.models import Duty
from web.fleet.queries import NodeNow
from web.jobs.queries import submissions_waiting


@dataclass(frozen=True, slots=True)
class QueueNow:
    """A class of hardware with the number of its waiting submissions and of its workers."""

    queue: str
    waiting: int
    workers: int

    @property
    def forsaken(self) -> bool:
        """Return whether submissions wait, but no worker takes them."""
        return self.waiting > 0 and self.workers == 0


def queues_now(nodes: Iterable[NodeNow]) -> list[QueueNow]:
    """Return every class of hardware that has waiting submissions or workers in `nodes`.

    Workers that are drained or can't judge do not count.
    """
    waiting = submissions_waiting()
    taking = Counter(
        queue
        for now in nodes
        for worker in now.live_workers
        if worker.state == Duty.SERVING and not worker.message
        for queue in worker.queues
    )
    names = sorted(waiting.keys() | taking.keys())
    return [QueueNow(name, waiting.get(name, 0), taking[name]) for name in names]
