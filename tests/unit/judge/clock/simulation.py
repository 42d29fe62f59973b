"""A runner, its GPU and a referee's memory in simulated time, so that the clock can be tested exactly.

Time is a number that moves only when something takes time. A `Program` decides what a call writes and
when; writes come true when time has passed them. Nothing here sleeps or measures.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from judge.clock.contracts import Conditions, Null, Policy
from judge.clock.roofline import Roofline
from judge.clock.session import time_case
from judge.inspector import Finding
from judge.report import Timing
from problems.vocabulary import Verdict

NULL_US = 10.0
SNAPSHOT_US = 20.0
SETTLE_US = 60.0
OUTPUT_BYTES = 1 << 20
NULL = Null(us=NULL_US, copy_us=SNAPSHOT_US, copy_us_per_mib=0.0)
POISON = -1


@dataclass
class World:
    """Simulated time in nanoseconds, the live outputs, the inputs, and writes that are still to come."""

    sets: int
    dice: random.Random
    now_ns: float = 0.0
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    pending: list[tuple[float, int, int]] = field(default_factory=list)
    busy_until_ns: float = 0.0

    def __post_init__(self) -> None:
        self.inputs = [POISON] * self.sets
        self.outputs = [POISON] * self.sets

    def pass_us(self, us: float) -> None:
        self.now_ns += us * 1000
        due = sorted(write for write in self.pending if write[0] <= self.now_ns)
        self.pending = [write for write in self.pending if write[0] > self.now_ns]
        for _, number, value in due:
            self.outputs[number] = value


class Program:
    """An honest program: a call takes `call_us`, up to some `noise` more, and `cold_us` more when alone.

    `late_us` is up to how much more every third call alone takes, by no doing of the program's.
    """

    def __init__(
        self, call_us: float, noise: float = 0.001, cold_us: float = 0.0, late_us: float = 0.0
    ) -> None:
        self.call_us, self.noise, self.cold_us, self.late_us = call_us, noise, cold_us, late_us
        self.slowdown = 1.0

    def one_us(self, world: World) -> float:
        return self.call_us * self.slowdown * (1 + abs(world.dice.gauss(0, self.noise)))

    def landed(self, world: World, number: int) -> None:
        """The inputs of a set became complete."""

    def work(self, world: World, numbers: Sequence[int]) -> float:
        """Schedule what an order writes. Returns when it says done, in nanoseconds."""
        at = world.now_ns + NULL_US * 1000
        if len(numbers) == 1 and self.late_us and world.dice.random() < 1 / 3:
            at += world.dice.uniform(0, self.late_us) * 1000
        for number in numbers:
            at += (self.one_us(world) + (self.cold_us if len(numbers) == 1 else 0)) * 1000
            world.pending.append((at, number, world.inputs[number]))
        return at


class SimulatedOrders:
    """`Ordering` to a `Program`."""

    def __init__(self, world: World, program: Program) -> None:
        self.world, self.program = world, program
        self.done_ns = 0.0
        self.count = 1
        self.premature = False
        self.counts: list[int] = []

    @property
    def self_reported_us(self) -> float:
        return self.program.call_us * self.count

    def give(self, *, first_set: int, count: int) -> int:
        self.count = count
        self.counts.append(count)
        given = int(self.world.now_ns)
        numbers = [(first_set + step) % self.world.sets for step in range(count)]
        jitter_us = abs(self.world.dice.gauss(0, 0.3))
        self.done_ns = self.program.work(self.world, numbers) + jitter_us * 1000
        return given

    def wait(self, *, timeout_s: float) -> int:
        self.world.pass_us(max(0.0, self.done_ns - self.world.now_ns) / 1000)
        return int(self.world.now_ns)

    def now(self) -> int:
        return int(self.world.now_ns)

    def pause(self, us: float) -> None:
        self.world.pass_us(us)


class SimulatedSets:
    """`TimedSets` whose contents are numbers and whose right answers are the same numbers."""

    def __init__(self, world: World, program: Program, contents: int, once: bool = False) -> None:
        self.world, self.program, self.contents, self.once = world, program, contents, once
        self.count = world.sets
        self.output_bytes = OUTPUT_BYTES
        self.snapshots = [POISON] * world.sets
        self.snapshot_us = SNAPSHOT_US
        self.poisoned = 0

    def hide(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self.world.inputs[number] = self._poison(number)

    def complete(self, number: int, content: int) -> None:
        self._fill(number, content)
        self.world.pass_us(SETTLE_US)

    def _fill(self, number: int, content: int) -> None:
        self.world.pass_us(30)
        self.world.inputs[number] = content
        self.program.landed(self.world, number)

    def arm(self, numbers: Sequence[int], contents: Sequence[int]) -> None:
        for number, content in zip(numbers, contents, strict=True):
            self._poison(number)
            self._fill(number, content)
        self.world.pass_us(SETTLE_US)

    def untouched(self, number: int) -> bool:
        return self.world.outputs[number] < 0

    def snapshot(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self.world.pass_us(self.snapshot_us / 2)
            self.snapshots[number] = self.world.outputs[number]
            self.world.pass_us(self.snapshot_us / 2)

    def verify(self, number: int) -> Finding | None:
        self.world.pass_us(100)
        if self.snapshots[number] != self.world.inputs[number]:
            return Finding(Verdict.WRONG_ANSWER, "wrong")
        if self.world.outputs[number] != self.snapshots[number]:
            return Finding(Verdict.REJECTED, "An output changed after solve had returned.")
        return None

    def _poison(self, number: int) -> int:
        self.poisoned += 1
        self.world.outputs[number] = -1 - self.poisoned
        return -1 - self.poisoned


class SimulatedGuard:
    """Discards the blocks that `reasons` says, in order, and sees what keeps the GPU busy."""

    conditions = Conditions(sm_mhz=1980)

    def __init__(self, world: World, reasons: Sequence[str | None] = ()) -> None:
        self.world, self.reasons = world, list(reasons)

    def begin(self) -> None:
        pass

    def end(self) -> str | None:
        return self.reasons.pop(0) if self.reasons else None

    def still(self) -> bool:
        return self.world.now_ns >= self.world.busy_until_ns


@dataclass
class Bench:
    """Everything round one simulated program."""

    program: Program
    sets: int = 8
    contents: int = 4
    once: bool = False
    seed: int = 1
    reasons: Sequence[str | None] = ()
    policy: Policy = field(default_factory=Policy)
    null: Null = NULL
    roofline: Roofline | None = None

    def __post_init__(self) -> None:
        self.world = World(self.sets, random.Random(self.seed))
        self.orders = SimulatedOrders(self.world, self.program)
        self.memory = SimulatedSets(self.world, self.program, self.contents, self.once)
        self.guard = SimulatedGuard(self.world, self.reasons)

    def time(self):
        return time_case(
            self.orders,
            self.memory,
            self.guard,
            self.policy,
            self.null,
            timeout_s=10,
            roofline=self.roofline,
            dice=self.world.dice,
        )

    def timing(self) -> Timing:
        found = self.time()
        assert isinstance(found, Timing), found
        return found
