"""Inputs and results of the trusted clock: values and protocols only.

What callers need, with a runner that has opened a TIME session over the page:

    found = time_case(orders, sets, gate, guard, policy, timeout_s=..., roofline=...)

`found` is a `Timing`, an `InspectionResult` against the program (a wrong output in a timed call, a broken
rule, an impossible time), or `Interfered` (not charged to the program: run it again). `OrderUnanswered` is
raised when the runner ended, was cancelled or took too long, and DeviceLost passes through from the memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from judge.runner.inspector import InspectionResult
from judge.runner.memory import Buffer, PrivateBytes


@dataclass(frozen=True, slots=True)
class Policy:
    """Parameters of timing a case. docs/adr/0009 gives the reasons. Units are in the names.

    Attributes:
        warm_calls: uncounted warm-up calls on one input set.
        min_calls: the fewest counted calls that give a figure.
        enough_calls: counted calls after which precision or the budget may end the session.
        enough_slow_calls: the same for calls that are longer than the budget.
        budget_ms: the total time of a case's counted calls, unless a single call is longer.
        precision_share: the half width of the interval, relative to the median, that ends the session.
        block_calls: calls between two queries of NVML; one where a call is longer than the budget.
        max_discards: discarded blocks of calls before the case counts as disturbed.
        looks: attempts before a call to get the GPU idle.
        look_us: the time between two attempts.
        queue_ms: the time to wait for a call to be queued. A program that waits for its own work inside
            `solve` never finishes queueing, and gets less time at the next call.
        least_us: times below it are not ranked, because the clock cannot resolve them; 0 for none.
        placements: sets of arrays, where memory allows. Where its arrays lie makes a call a few parts in a
            thousand faster or slower, and a process keeps its places; over many of them that averages out.
        placements_share: of the free memory that they may take; the program may want some too.
    """

    warm_calls: int = 4
    min_calls: int = 6
    enough_calls: int = 24
    enough_slow_calls: int = 3
    budget_ms: float = 300.0
    precision_share: float = 0.0005
    block_calls: int = 6
    max_discards: int = 3
    looks: int = 25
    look_us: float = 400.0
    queue_ms: float = 50.0
    least_us: float = 0.0
    placements: int = 24
    placements_share: float = 0.25


_SLICED_LEAST_US = 10_000.0


def policy_for(*, time_sliced: bool) -> Policy:
    """The policy for a GPU. On one that is time-sliced contexts take turns of milliseconds."""
    return Policy(least_us=_SLICED_LEAST_US, budget_ms=1000.0) if time_sliced else Policy()


@dataclass(frozen=True, slots=True)
class CallObservation:
    """The gate's observations of one call. Times are microseconds after the release.

    `alone` says whether the gate got the whole GPU; if not, no inputs were copied and the other fields are
    invalid. `last_us` is when the outputs were last seen to change, `done_us` when the flag DONE was seen.
    `moved` counts the watched places that changed after that. `timed_out`: DONE never came.
    """

    alone: bool
    last_us: float
    done_us: float
    moved: int = 0
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Interfered:
    """The GPU was never quiet long enough. The case can be timed again.

    `outside` says that something was seen which is not the program's doing: heat, a foreign process.
    Without it only the program itself is left to suspect.
    """

    reason: str
    outside: bool = True


@dataclass(frozen=True, slots=True)
class Conditions:
    """State of the GPU during timing; None for values that NVML does not report."""

    sm_mhz: int | None = None
    memory_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None


class Ordering(Protocol):
    """Orders to one runner. `judge.clock.page.ClockOrders` implements it. Waiting raises OrderUnanswered."""

    @property
    def number(self) -> int:
        """The number of the last order."""

    def give(self, *, argument_set: int, queued: bool) -> int:
        """Order one call with that argument set: queued ahead, or called when `open` says so."""

    def await_queued(self, *, timeout_s: float) -> bool:
        """Wait until the call is queued. False when it is not within `timeout_s`."""

    def open(self) -> None:
        """Tell the runner that a call which is not queued may begin."""

    def await_done(self, *, timeout_s: float) -> None:
        """Wait until the runner has waited for its device."""

    def require_alive(self) -> None:
        """Raise OrderUnanswered if the runner has ended."""

    def now(self) -> int:
        """The time, in nanoseconds."""

    def pause(self, us: float) -> None:
        """Let that much time pass."""


class CallGate(Protocol):
    """Lets calls through one by one, and times them where they happen."""

    @property
    def descriptor(self) -> int | None:
        """The memory of the flags, for the runner; None where calls cannot be queued."""

    def call(
        self,
        orders: Ordering,
        landings: Sequence[tuple[Buffer, PrivateBytes]],
        outputs: Sequence[tuple[Buffer, PrivateBytes]],
        *,
        queued: bool,
        expected_us: float,
        timeout_s: float,
    ) -> CallObservation:
        """Let the call of the last order through, once the contents have landed, and copy its outputs.

        `outputs` are pairs of a buffer and the contents that its copy goes to. A call that was not `alone`
        has done nothing and can be tried again.
        """


class TimedSets(Protocol):
    """Sets of arguments with memory of their own, numbered from 0, and secret contents to put into them.

    `contents` counts the contents; number 0 is for warming up.
    """

    @property
    def count(self) -> int:
        """The number of sets."""

    @property
    def contents(self) -> int:
        """The number of distinct input sets."""

    def arm(self, number: int, content: int) -> None:
        """Poison or clear the outputs of a set, which will be called with that content."""

    def clear_inputs(self, number: int) -> None:
        """Zero the inputs of a set: a program that does not wait for the new ones finds no earlier ones."""

    def landings(self, number: int) -> Sequence[tuple[Buffer, PrivateBytes]]:
        """The inputs of an armed set, and what is to land in them."""

    def outputs(self, number: int) -> Sequence[tuple[Buffer, PrivateBytes]]:
        """The outputs of a set, and where their copies go."""

    def verify(self, number: int) -> InspectionResult | None:
        """Judge the copies of a set: guard bands, inputs, every element, and the live outputs again."""


class QuietGuard(Protocol):
    """Watches the GPU round a block of calls, and says which blocks do not count."""

    def begin(self) -> None:
        """A block of calls starts."""

    def end(self) -> str | None:
        """It is over: None, or why it must be discarded."""

    @property
    def conditions(self) -> Conditions:
        """Return the state of the GPU during the blocks that counted."""
