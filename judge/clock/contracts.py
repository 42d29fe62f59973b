"""What the trusted clock works with and what it answers. Values and protocols only.

What callers need, with a runner that has opened a TIME session over the page:

    null = measure_null(orders, memory, policy)       # in a session without arrays, before LOAD
    found = time_case(orders, sets, guard, policy, null, timeout_s=..., roofline=...)

`found` is a `Timing`, a `Finding` against the program (a wrong output in a timed repetition, a broken rule,
a time that cannot be), or `Disturbed` (charged to nobody: run it again). `OrderUnanswered` is raised when
the runner ended, was cancelled or took too long, and DeviceLost passes through from the memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from judge.inspector import Finding
from problems.vocabulary import Language

_TURN_US = 500.0
_SLICED_BATCH_MS, _SLICED_BUDGET_MS = 80.0, 600.0  # in which half a millisecond is little


@dataclass(frozen=True, slots=True)
class Policy:
    """How a case is timed. The defaults keep three cases within a second; docs/adr/0009 gives the reasons.

    Units are in the names, and shares are fractions of the figure that they allow for.

    Attributes:
        batch_ms: how long a batch of calls is meant to take.
        budget_ms: how long timing one case may take, all in all, unless the calls themselves are slow.
        min_batches: batches at least, before the interval can end the session; max_batches: at most.
        max_calls: calls in a batch, at most.
        min_gated: gated calls at least; max_gated: at most.
        gated_share: the part of the budget that gated calls may use.
        blanks: gated calls in which go is held back, to see whether anything happens without it.
        blank_us: for how long, at least.
        precision_share: the half width of the interval at which it is precise enough.
        gate_share, gate_us: how far the figure may lie under the lower quartile of what single calls take. A
            single call pays for cold caches and an idle GPU; the gain of a program that overlaps its calls
            ends here.
        fresh_share, fresh_us: the same for the few calls on contents that the program had never seen.
        doubts: rounds of further single calls at most, while they bound the figure.
        doubt_us: the mean time before the first of them; it grows from round to round.
        launch_us: what a call may cost its process beyond the null's call, before anything runs on the GPU.
            Calls of a batch hide that behind each other, a single call cannot. Added to both allowances.
        impossible_share, impossible_us: batches faster than the bound by this part of it and so much more
            cannot be honest work. Others get the bound as their time: single calls of an honest program can
            be that slow on a busy host.
        copy_share, copy_us: how much longer than before LOAD a snapshot may take on a GPU that is idle.
        max_discards: repetitions that may be discarded before the case counts as disturbed.
        null_calls: calls that measure the null.
        copy_mib: the size with which the speed of snapshots is measured before LOAD.
        rotation: the sets together are this many times the L2 cache.
        placements: sets at least, where memory allows. Where its arrays lie makes a call a few parts in a
            thousand faster or slower, and a process keeps its places; over many of them that averages out.
        placements_share: of the free memory that they may take; the program may want some too.
        max_sets: sets at most.
    """

    batch_ms: float = 20.0
    budget_ms: float = 300.0
    min_batches: int = 5
    max_batches: int = 15
    max_calls: int = 20_000
    min_gated: int = 5
    max_gated: int = 27
    gated_share: float = 0.3
    blanks: int = 2
    blank_us: float = 150.0
    precision_share: float = 0.005
    gate_share: float = 0.015
    gate_us: float = 1.5
    fresh_share: float = 0.03
    fresh_us: float = 4.0
    doubts: int = 8
    doubt_us: float = 20_000.0
    launch_us: float = 0.0
    impossible_share: float = 0.5
    impossible_us: float = 20.0
    copy_share: float = 0.25
    copy_us: float = 10.0
    max_discards: int = 6
    null_calls: int = 200
    copy_mib: int = 128
    rotation: float = 4.0
    placements: int = 8
    placements_share: float = 0.25
    max_sets: int = 64


def policy_for(language: Language, *, time_sliced: bool = False) -> Policy:
    """The policy for programs in `language`. Python needs its time to launch a kernel.

    On a GPU that is time-sliced, runner and referee take turns, which costs a single call a fraction of a
    millisecond, more or less of it each time. Single calls then bound nothing shorter than that, and batches
    are longer, so that it is less than one part in a hundred of them.
    """
    launch_us, impossible_us = {
        Language.CUDA: (0.0, 20.0),
        Language.TRITON: (15.0, 300.0),
        Language.PYTHON: (30.0, 300.0),
    }[language]
    if not time_sliced:
        return Policy(launch_us=launch_us, impossible_us=impossible_us)
    return Policy(
        launch_us=launch_us + _TURN_US,
        impossible_us=impossible_us,
        batch_ms=_SLICED_BATCH_MS,
        budget_ms=_SLICED_BUDGET_MS,
    )


@dataclass(frozen=True, slots=True)
class Null:
    """What the protocol costs by itself, measured before any foreign code runs. Microseconds.

    `us` is from go to done with a null kernel; a snapshot takes `copy_us` and `copy_us_per_mib` more.
    """

    us: float
    copy_us: float
    copy_us_per_mib: float

    def snapshot_us(self, size_bytes: int) -> float:
        """What a snapshot of that many bytes takes on an idle GPU."""
        return self.copy_us + self.copy_us_per_mib * size_bytes / 2**20


@dataclass(frozen=True, slots=True)
class Disturbed:
    """The GPU was never quiet long enough. The case can be timed again.

    `outside` says that something was seen which is not the program's doing: heat, a foreign process.
    Without it only the program itself is left to suspect.
    """

    reason: str
    outside: bool = True


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the GPU was while it was timed; None where NVML does not say."""

    sm_mhz: int | None = None
    memory_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None


class Ordering(Protocol):
    """Orders to one runner, and the clock that times them. `judge.clock.page.Orders` implements it."""

    @property
    def premature(self) -> bool:
        """Whether an order is said to be done that was not given yet."""

    @property
    def self_reported_us(self) -> float:
        """What the runner says that its last order took. Never believed."""

    def give(self, *, first_set: int, count: int) -> int:
        """Order `count` calls from set number `first_set` on. Returns when, in nanoseconds."""

    def wait(self, *, timeout_s: float) -> int:
        """Wait until the order is said to be done. Returns when. Raises OrderUnanswered."""

    def now(self) -> int:
        """The time, in nanoseconds."""

    def pause(self, us: float) -> None:
        """Let that much time pass."""


class TimedSets(Protocol):
    """Sets of arguments with memory of their own, numbered from 0, and secret contents to put into them.

    `contents` counts the contents; number 0 is for warming up. `once` says that a set is good for one
    call per arming, because an argument is read and written. Every method returns when the device is done.
    """

    @property
    def count(self) -> int:
        """How many sets."""

    @property
    def contents(self) -> int:
        """How many different contents."""

    @property
    def output_bytes(self) -> int:
        """Bytes of the outputs of one set."""

    @property
    def once(self) -> bool:
        """Whether a call uses up what its set was armed with."""

    def hide(self, numbers: Sequence[int]) -> None:
        """Poison every array of these sets."""

    def complete(self, number: int, content: int) -> None:
        """Put the inputs of content number `content` into a hidden set: it is ready for a call."""

    def arm(self, numbers: Sequence[int], contents: Sequence[int]) -> None:
        """Poison the outputs of these sets and put in the inputs, each set its own content."""

    def untouched(self, number: int) -> bool:
        """Whether the outputs are as `arm` or `complete` left them."""

    def snapshot(self, numbers: Sequence[int]) -> None:
        """Take private copies of the outputs, in this order, to be verified."""

    def verify(self, number: int) -> Finding | None:
        """Judge the snapshot of a set: guard bands, inputs, every element, and the live outputs again."""


class Guard(Protocol):
    """Watches the GPU round a block of repetitions, and says which blocks do not count."""

    def begin(self) -> None:
        """A block of repetitions starts."""

    def end(self) -> str | None:
        """It is over: None, or why it must be discarded."""

    def still(self) -> bool:
        """Whether nothing of anybody else's is running on the GPU now."""

    @property
    def conditions(self) -> Conditions:
        """How the GPU was during the blocks that counted."""
