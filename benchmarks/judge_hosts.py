"""Simulates hosts that judge the jobs of one queue, for `benchmarks.capacity`.

Theory of operation. This is a discrete-event simulation: a heap contains the next events by time, and nothing
waits in real time. One queue represents the table of jobs: runs come before submits, each in the order of
submission. A host has one GPU, judges `at_a_time` submissions, and follows the rules of a real host:

- A judgement gets a shared lease of the GPU to check a program. At most SLOTS judgements share the GPU, first
  come first served. A judgement that ranks needs the GPU for itself. It keeps its lease if no other judgement
  has or waits for one. Otherwise it returns the lease, queues for an exclusive one, and begins again with a
  new container (`judge.evaluate`, `sandbox.gpu.lease`).
- Containers start one after the other. The pool keeps a fixed number of started containers (`sandbox.pool`).

The caller gives the times: `Work` says how long each part of a judgement takes. As in reality, a program
compiles while its judgement waits for a container.
"""

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count

SLOTS = 8  # the default of WARPCOURT_CHECK_SLOTS
KEPT_WARM = 2  # containers, as in the measured runs

Then = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Work:
    """Costs of judging one submission, in seconds. `rank_s` is 0 if nothing is timed.

    `build_s` is the time to compile. `start_s` is the time from a started container until runner and referee
    are ready.
    """

    build_s: float
    start_s: float
    check_s: float
    rank_s: float = 0.0
    interactive: bool = True  # a run: claimed before submits


@dataclass(slots=True)
class Job:
    """A submission. Times are seconds of the simulation, -1 for steps that have not happened yet."""

    handed_in_s: float
    work: Work
    claimed_s: float = -1.0
    judged_s: float = -1.0

    @property
    def wait_s(self) -> float:
        """Return the seconds from submission to claim."""
        return self.claimed_s - self.handed_in_s

    @property
    def verdict_s(self) -> float:
        """Return the seconds from submission to verdict."""
        return self.judged_s - self.handed_in_s


@dataclass(slots=True)
class Clock:
    """The time of the simulation, and its future events."""

    now_s: float = 0.0
    _due: list[tuple[float, int, Then]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)

    def after(self, delay_s: float, then: Then) -> None:
        """Call `then` in `delay_s` seconds."""
        heapq.heappush(self._due, (self.now_s + delay_s, next(self._order), then))

    def run(self) -> None:
        """Run until no event is left."""
        while self._due:
            self.now_s, _, then = heapq.heappop(self._due)
            then()


@dataclass(slots=True)
class Engine:
    """The container engine of a host.

    It starts one container at a time, in `container_s`, and keeps KEPT_WARM ready.
    """

    clock: Clock
    container_s: float
    ready: int = KEPT_WARM
    _wanted: deque[Then] = field(default_factory=deque)
    _starting: bool = False

    def take(self, then: Then) -> None:
        """Call `then` as soon as a container is ready for it."""
        if self.ready:
            self.ready -= 1
            self._start()
            then()
        else:
            self._wanted.append(then)
            self._start()

    def _start(self) -> None:
        if not self._starting and (self._wanted or self.ready < KEPT_WARM):
            self._starting = True
            self.clock.after(self.container_s, self._started)

    def _started(self) -> None:
        self._starting = False
        self.ready += 1
        if self._wanted:
            self.ready -= 1
            self._wanted.popleft()()
        self._start()


@dataclass(slots=True)
class Room:
    """The leases of a GPU, first come first served: up to SLOTS shared leases, or an exclusive one."""

    clock: Clock
    inside: int = 0
    alone: bool = False
    used_s: float = 0.0
    _line: deque[tuple[bool, Then]] = field(default_factory=deque)
    _entered_s: float = 0.0

    def enter(self, then: Then, *, alone: bool) -> None:
        """Call `then` as soon as it has a lease, an exclusive one if `alone`."""
        self._line.append((alone, then))
        self._admit()

    def try_promote(self) -> bool:
        """Turn the caller's shared lease into an exclusive one, if possible. Return whether that worked."""
        self.alone = self.inside == 1 and not self._line
        return self.alone

    def leave(self) -> None:
        """Release a lease."""
        self.inside -= 1
        self.alone = False
        if not self.inside:
            self.used_s += self.clock.now_s - self._entered_s
        self._admit()

    def _admit(self) -> None:
        while self._line and not self.alone and self.inside < SLOTS:
            alone, then = self._line[0]
            if alone and self.inside:
                return
            self._line.popleft()
            if not self.inside:
                self._entered_s = self.clock.now_s
            self.inside += 1
            self.alone = alone
            then()


@dataclass(slots=True)
class Host:
    """A host with one GPU."""

    clock: Clock
    engine: Engine
    room: Room
    free: int
    draining: bool = False
    running: list[Job] = field(default_factory=list)

    def judge(self, job: Job, over: Then) -> None:
        """Judge `job`, then call `over`."""
        job.claimed_s = self.clock.now_s
        self.running.append(job)
        self.room.enter(partial(self._begin, job, over), alone=False)

    def _begin(self, job: Job, over: Then) -> None:
        built_s = self.clock.now_s + job.work.build_s
        self.engine.take(partial(self._check, job, over, built_s))

    def _check(self, job: Job, over: Then, built_s: float) -> None:
        left_s = max(built_s - self.clock.now_s, job.work.start_s) + job.work.check_s
        self.clock.after(left_s, partial(self._checked, job, over))

    def _checked(self, job: Job, over: Then) -> None:
        if not job.work.rank_s:
            self._end(job, over)
        elif self.room.try_promote():
            self.clock.after(job.work.rank_s, partial(self._end, job, over))
        else:
            self.room.leave()
            self.room.enter(partial(self._again, job, over), alone=True)

    def _again(self, job: Job, over: Then) -> None:
        rank_s = job.work.start_s + job.work.rank_s
        self.engine.take(lambda: self.clock.after(rank_s, partial(self._end, job, over)))

    def _end(self, job: Job, over: Then) -> None:
        job.judged_s = self.clock.now_s
        self.running.remove(job)
        self.room.leave()
        over()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a simulation. `used` is the fraction of GPU time in use, over all GPUs."""

    jobs: Sequence[Job]
    span_s: float
    used: float


class Court:
    """Hosts that judge the jobs of one queue. Events of `clock` can add and remove hosts."""

    def __init__(self, hosts: int, *, at_a_time: int, container_s: float) -> None:
        self.clock = Clock()
        self.unfinished = 0
        self._at_a_time, self._container_s = at_a_time, container_s
        self._hosts: list[Host] = []
        self._free = 0
        self._runs: deque[Job] = deque()
        self._submits: deque[Job] = deque()
        for _ in range(hosts):
            self.add_host()

    def add_host(self) -> Host:
        """Add a host. It claims jobs immediately."""
        engine = Engine(self.clock, self._container_s)
        host = Host(self.clock, engine, Room(self.clock), self._at_a_time)
        self._hosts.append(host)
        self._free += host.free
        self._claim()
        return host

    def drain(self, host: Host) -> None:
        """Remove a host from the queue. It finishes its jobs."""
        host.draining = True
        self._hosts.remove(host)
        self._free -= host.free

    def judge(self, jobs: Iterable[Job]) -> Outcome:
        """Judge all `jobs`, in the order of submission."""
        jobs = list(jobs)
        waiting = iter(jobs)
        self._await(next(waiting, None), waiting)
        self.clock.run()
        used_s = sum(host.room.used_s for host in self._hosts)
        span_s = self.clock.now_s
        return Outcome(jobs, span_s, used_s / (span_s * len(self._hosts)) if span_s else 0.0)

    def _await(self, job: Job | None, others: Iterable[Job]) -> None:
        if job is not None:
            self.clock.after(job.handed_in_s - self.clock.now_s, partial(self._hand_in, job, others))

    def _hand_in(self, job: Job, others: Iterable[Job]) -> None:
        (self._runs if job.work.interactive else self._submits).append(job)
        self.unfinished += 1
        self._claim()
        self._await(next(iter(others), None), others)

    def _claim(self) -> None:
        while self._free and (queue := self._runs or self._submits):
            # In reality, a waiting worker gets the message. That is most likely one of the host with the most
            # waiting workers.
            host = max(self._hosts, key=lambda host: host.free)
            host.free -= 1
            self._free -= 1
            host.judge(queue.popleft(), partial(self._judged, host))

    def _judged(self, host: Host) -> None:
        host.free += 1
        self.unfinished -= 1
        if not host.draining:
            self._free += 1
            self._claim()
