"""Decides how many workers of a pool to submit, cancel and drain. Pure: no clock, process or database.

The number of workers follows the number of unfinished jobs between a floor and a ceiling. Each decision
depends only on the current state. Autoscalers that see the same state choose the same workers. So two
autoscalers that run at the same time do not drain additional workers. If both submit workers, the next
decision cancels the surplus.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """The phase of a Slurm job. A `held` job waits, but not for a node."""

    WAITING = "waiting"
    HELD = "held"
    RUNNING = "running"
    ENDING = "ending"


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """A worker as a Slurm job. `busy`: it has a lease. `draining`: it takes no more jobs."""

    job_id: int
    phase: Phase
    busy: bool = False
    draining: bool = False
    idle_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The rules of a pool. Raises ValueError if they contradict each other."""

    floor: int
    ceiling: int
    jobs_per_worker: int
    cooldown_s: float

    def __post_init__(self) -> None:
        if not 0 <= self.floor <= self.ceiling:
            raise ValueError("The floor must be 0 or more, and not above the ceiling.")
        if self.jobs_per_worker < 1 or self.cooldown_s < 0:
            raise ValueError("Jobs per worker must be 1 or more, and the cool-down must be 0 or more.")

    def wanted(self, unfinished: int) -> int:
        """Return the number of workers for this number of unfinished jobs."""
        needed = -(-unfinished // self.jobs_per_worker)
        return min(max(needed, self.floor), self.ceiling)


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of workers to submit, and the Slurm jobs to cancel before they start or to drain."""

    submit: int = 0
    cancel: tuple[int, ...] = ()
    drain: tuple[int, ...] = ()


def decide(unfinished: int, workers: Sequence[WorkerJob], bounds: Bounds) -> Plan:
    """Return what to do now.

    Waiting workers are cancelled first, starting with the newest. Then running workers that have been idle
    for the cool-down are drained, starting with the oldest, because its time limit is the closest. A busy
    worker is drained only while there are more workers than the ceiling.
    """
    held = tuple(sorted(worker.job_id for worker in workers if worker.phase is Phase.HELD))
    waiting = sorted(worker.job_id for worker in workers if worker.phase is Phase.WAITING)
    running = [worker for worker in workers if worker.phase is Phase.RUNNING]
    serving = sorted((one for one in running if not one.draining), key=lambda one: (one.busy, one.job_id))
    surplus = len(waiting) + len(serving) - bounds.wanted(unfinished)
    if surplus <= 0:
        room = bounds.ceiling - len(waiting) - len(running)  # a draining worker still uses its node
        return Plan(submit=max(0, min(-surplus, room)), cancel=held)
    unneeded = waiting[::-1][:surplus]
    surplus -= len(unneeded)
    too_many = len(waiting) - len(unneeded) + len(serving) - bounds.ceiling
    cooled = [one for one in serving if not one.busy and one.idle_s >= bounds.cooldown_s][:surplus]
    others = [one for one in serving if one not in cooled]
    drained = cooled + others[: max(0, too_many - len(cooled))]
    return Plan(cancel=(*held, *unneeded), drain=tuple(one.job_id for one in drained))
