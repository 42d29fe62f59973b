"""A runner, its GPU and a referee's gate in simulated time, so that the clock can be tested exactly.

Time is a number that advances only when something takes time. A `Program` decides what a call writes and
when. A write takes effect when its time has come. The gate does the same as `judge.gpu.device.gate`: it lands
the inputs when nothing runs, starts the GPU, checks until the program reports done, and copies the output.
Nothing here sleeps or measures real time.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from judge.clock.contracts import CallObservation, Conditions, Policy
from judge.clock.page import OrderUnanswered
from judge.clock.roofline import Roofline
from judge.clock.session import time_case
from judge.report import Timing
from judge.runner.client import ReplyStatus
from judge.runner.inspector import InspectionResult
from problems.vocabulary import Verdict

LANDING_US, COPY_US = 60.0, 20.0
DONE_US = 1.0  # from the last change in the outputs to the flag DONE
WATCH_US = 6.0  # from the release to the start of a watch that starts after it
POISON = -1


@dataclass
class World:
    """Simulated time in microseconds, the live inputs and outputs, and writes that are still to come."""

    sets: int
    dice: random.Random
    now_us: float = 0.0
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    pending: list[tuple[float, int, int]] = field(default_factory=list)
    busy_until_us: float = 0.0

    def __post_init__(self) -> None:
        self.inputs = [POISON] * self.sets
        self.outputs = [POISON] * self.sets

    def pass_us(self, us: float) -> None:
        """Advance the time, and apply writes that are due."""
        self.now_us += us
        due = sorted(write for write in self.pending if write[0] <= self.now_us)
        self.pending = [write for write in self.pending if write[0] > self.now_us]
        for _, number, value in due:
            self.outputs[number] = value


class Program:
    """An honest program: a call takes `call_us`, up to some `noise` more, and sometimes `slow_us` more.

    `launch_us` is what its host code takes before anything runs.
    """

    def __init__(
        self, call_us: float, noise: float = 0.001, slow_us: float = 0.0, launch_us: float = 60.0
    ) -> None:
        self.call_us, self.noise, self.slow_us, self.launch_us = call_us, noise, slow_us, launch_us

    def takes_us(self, world: World) -> float:
        """Return the time of a call on the GPU."""
        slow_us = self.slow_us if world.dice.random() < 0.4 else 0.0
        return self.call_us * (1 + abs(world.dice.gauss(0, self.noise))) + slow_us

    def landed(self, world: World, number: int) -> None:
        """Called when the inputs of a set are complete."""

    def queue(self, world: World, number: int) -> None:
        """Run the host code of a call that is queued ahead."""

    def work(self, world: World, number: int) -> float:
        """Called when the GPU starts: schedule the writes of the call.

        Return the time at which it reports done.
        """
        at = world.now_us + self.takes_us(world)
        world.pending.append((at, number, world.inputs[number]))
        return at + DONE_US


class SimulatedOrders:
    """An `Ordering` that gives orders to a `Program`."""

    def __init__(self, world: World, program: Program) -> None:
        self.world, self.program = world, program
        self.number = 0
        self.argument_set = 0
        self.queued: list[bool] = []

    def give(self, *, argument_set: int, queued: bool) -> int:
        self.number += 1
        self.argument_set = argument_set
        self.queued.append(queued)
        if queued:
            self.world.pass_us(self.program.launch_us)
            self.program.queue(self.world, argument_set)
        return self.number

    def await_queued(self, *, timeout_s: float) -> bool:
        return True

    def open(self) -> None:
        self.world.pass_us(self.program.launch_us)

    def await_done(self, *, timeout_s: float) -> None:
        pass

    def require_alive(self) -> None:
        pass

    def now(self) -> int:
        return int(self.world.now_us * 1000)

    def pause(self, us: float) -> None:
        self.world.pass_us(us)


class SimulatedSets:
    """`TimedSets` with numbers as contents and the same numbers as correct answers."""

    def __init__(self, world: World, contents: int) -> None:
        self.world, self.contents, self.count = world, contents, world.sets
        self.output_bytes = 8
        self.held = [0] * world.sets
        self.copies = [POISON] * world.sets
        self.seen: list[int] = []
        self.poisoned = 0

    def arm(self, number: int, content: int) -> None:
        self.poisoned += 1
        self.world.outputs[number] = -1 - self.poisoned
        self.held[number] = content
        self.seen.append(content)

    def clear_inputs(self, number: int) -> None:
        self.world.inputs[number] = POISON

    def landings(self, number: int) -> list[tuple[int, int]]:
        return [(number, self.held[number])]

    def outputs(self, number: int) -> list[int]:
        return [number]

    def verify(self, number: int) -> InspectionResult | None:
        self.world.pass_us(100)
        if self.copies[number] != self.held[number]:
            return InspectionResult(Verdict.WRONG_ANSWER, "wrong")
        if self.world.outputs[number] != self.copies[number]:
            return InspectionResult(Verdict.REJECTED, "An output changed after solve had returned.")
        return None


class SimulatedGate:
    """`Gate` over the simulated world.

    A call is never seen to end before the watch has started. A watch that starts before the program takes a
    slot, which makes the call `slot_us` longer.
    """

    descriptor: int | None = 3

    def __init__(self, world: World, sets: SimulatedSets, program: Program, slot_us: float = 0.0) -> None:
        self.world, self.sets, self.program, self.slot_us = world, sets, program, slot_us
        self.tries = 0

    def call(
        self,
        orders: SimulatedOrders,
        landings: Sequence[tuple[int, int]],
        outputs: Sequence[int],
        *,
        queued: bool,
        watch_first: bool,
        timeout_s: float,
    ) -> CallObservation:
        world, number = self.world, orders.argument_set
        self.tries += 1
        if world.busy_until_us > world.now_us:
            return CallObservation(alone=False, last_us=0.0, done_us=0.0)
        for landed, content in landings:
            world.inputs[landed] = content
        self.program.landed(world, number)
        world.pass_us(LANDING_US)
        release_us = world.now_us
        if not queued:
            orders.open()
        done_us = self.program.work(world, number)
        if done_us == float("inf"):
            return CallObservation(alone=True, last_us=0.0, done_us=0.0, timed_out=True)
        last_us = max(
            [at for at, where, _ in world.pending if where == number and at <= done_us], default=0.0
        )
        world.pass_us(max(0.0, done_us - world.now_us))
        seen_us = max(last_us, release_us) - release_us
        watched = world.outputs[number]
        world.pass_us(COPY_US)
        self.sets.copies[number] = world.outputs[number]
        return CallObservation(
            alone=True,
            last_us=seen_us + self.slot_us if watch_first else max(seen_us, WATCH_US),
            done_us=done_us - release_us,
            moved=int(watched != world.outputs[number]),
        )


class SimulatedGuard:
    """Discards blocks for the `reasons`, in order."""

    conditions = Conditions(sm_mhz=1980)

    def __init__(self, reasons: Sequence[str | None] = ()) -> None:
        self.reasons = list(reasons)

    def begin(self) -> None:
        pass

    def end(self) -> str | None:
        return self.reasons.pop(0) if self.reasons else None


@dataclass
class ProofEnvironment:
    """The environment of one simulated program."""

    program: Program
    sets: int = 8
    contents: int = 49
    seed: int = 1
    reasons: Sequence[str | None] = ()
    policy: Policy = field(default_factory=Policy)
    roofline: Roofline | None = None
    slot_us: float = 0.0

    def __post_init__(self) -> None:
        self.world = World(self.sets, random.Random(self.seed))
        self.orders = SimulatedOrders(self.world, self.program)
        self.memory = SimulatedSets(self.world, self.contents)
        self.gate = SimulatedGate(self.world, self.memory, self.program, self.slot_us)
        self.guard = SimulatedGuard(self.reasons)

    def time(self):
        return time_case(
            self.orders,
            self.memory,
            self.gate,
            self.guard,
            self.policy,
            timeout_s=10,
            roofline=self.roofline,
            dice=self.world.dice,
        )

    def timing(self) -> Timing:
        found = self.time()
        assert isinstance(found, Timing), found
        return found


def unanswered() -> Callable[..., None]:
    """Return a function that raises OrderUnanswered."""

    def ended(**_: object) -> None:
        raise OrderUnanswered(ReplyStatus.DIED)

    return ended
