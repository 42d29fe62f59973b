"""Inputs and results of the trusted clock: values and protocols only.

A caller whose runner has opened a TIME session on the page times a case like this:

    found = time_case(orders, sets, gate, guard, policy, timeout_s=..., roofline=...)

`found` is a `Timing`, an `InspectionResult` against the program (a wrong output in a timed call, a broken
rule, an impossible time), or `Interfered` (not charged to the program: run it again). `time_case` raises
`OrderUnanswered` if the runner ended, was cancelled or took too long. It does not catch DeviceLost, which the
memory may raise.
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
        enough_calls: counted calls after which precision may end the session, and the least number that the
            budget allows.
        enough_slow_calls: the same for programs of which one call takes longer than the budget.
        budget_ms: the total time of a case's counted calls, unless a single call is longer. The warm-up
            converts it to a number of calls. If elapsed time ended the session, a program could stop it after
            fast calls.
        precision_share: the half width of the interval, relative to the median, that ends the session.
        block_calls: calls between two queries of NVML. If a call takes longer than the budget, a block is one
            call.
        max_discards: discarded blocks of calls before the case counts as disturbed.
        looks: how often the gate tries to get the whole GPU for a call.
        look_us: the time between two attempts.
        queue_ms: how long to wait until a call is queued. A program that synchronizes inside `solve` never
            finishes queueing, so later calls wait for less time.
        done_slack_us: the time allowed between the last change in the outputs of an honest program and the
            flag DONE, while its last kernel ends. The excess counts as time of the call.
        done_slack_small_us: the same for small outputs, which leave nothing to write back when a kernel ends.
        small_outputs_bytes: up to this size in total, outputs are small.
        short_us: calls that take less may be over before a watch that starts after the release. So the clock
            also tries a watch that starts before it.
        least_us: shorter times are not ranked, because the clock cannot resolve them; 0 for no minimum.
        placements: sets of arrays at different addresses, if there is enough memory. The addresses of its
            arrays make a call a few parts in a thousand faster or slower, and a process keeps its addresses.
            Several sets average this out.
        placements_share: the share of the free memory that these sets may occupy. The rest is for the
            program.
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
    done_slack_us: float = 3.0
    done_slack_small_us: float = 1.5
    small_outputs_bytes: int = 4096
    short_us: float = 16.0
    least_us: float = 0.0
    placements: int = 24
    placements_share: float = 0.25


_SLICED_LEAST_US = 10_000.0


def policy_for(*, time_sliced: bool) -> Policy:
    """Return the policy for a GPU. On a time-sliced GPU, contexts take turns of milliseconds."""
    return Policy(least_us=_SLICED_LEAST_US, budget_ms=1000.0) if time_sliced else Policy()


@dataclass(frozen=True, slots=True)
class CallObservation:
    """The gate's observations of one call. Times are microseconds after the release.

    `alone` says whether the gate got the whole GPU. If not, no inputs were copied and the other fields are
    invalid. `last_us` is the time at which the outputs were last seen to change, `done_us` the time at which
    the flag DONE was seen. `moved` is the number of places, watched or read once after
    DONE, whose copies differ from the last look. `timed_out` says
    that the flag DONE was not set in time.
    """

    alone: bool
    last_us: float
    done_us: float
    moved: int = 0
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class Interfered:
    """The result of a session in which the GPU was not quiet for long enough. The case can be timed again.

    `outside` says that a cause outside the program was seen: heat or a foreign process. Without such a cause,
    the program itself may have kept the GPU busy.
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
    """Sends orders to one runner; see `judge.clock.page.ClockOrders`. Waiting may raise OrderUnanswered."""

    @property
    def number(self) -> int:
        """The number of the last order."""

    def give(self, *, argument_set: int, queued: bool) -> int:
        """Order one call with this argument set, queued ahead or called after `open`. Returns its number."""

    def await_queued(self, *, timeout_s: float) -> bool:
        """Wait until the call is queued. Returns False if it is not queued within `timeout_s`."""

    def open(self) -> None:
        """Tell the runner that it may start a call that is not queued."""

    def await_done(self, *, timeout_s: float) -> None:
        """Wait until the runner reports that its device has finished the call."""

    def require_alive(self) -> None:
        """Raise OrderUnanswered if the runner has ended."""

    def now(self) -> int:
        """Return the current time, in nanoseconds."""

    def pause(self, us: float) -> None:
        """Wait for `us` microseconds."""


class CallGate(Protocol):
    """Lets calls through one by one, and times them on the device that runs them."""

    @property
    def descriptor(self) -> int | None:
        """The descriptor of the memory of the flags, for the runner; None if calls cannot be queued."""

    def call(
        self,
        orders: Ordering,
        landings: Sequence[tuple[Buffer, PrivateBytes]],
        outputs: Sequence[tuple[Buffer, PrivateBytes]],
        *,
        queued: bool,
        watch_first: bool,
        timeout_s: float,
    ) -> CallObservation:
        """Copy the contents to the arrays, let the call of the last order through, and copy its outputs.

        `landings` are pairs of a buffer and the contents to copy into it. `outputs` are pairs of an
        output buffer and the memory to copy it to. With `watch_first`, the outputs are watched from the
        release on. Otherwise the watch starts a few microseconds later, and takes no slot that the first
        kernel of the call needs.

        If the observation is not `alone`, the call was not made and can be tried again. If it is `timed_out`,
        the gate is useless until the program has ended.
        """


class TimedSets(Protocol):
    """Sets of arguments, numbered from 0, each in its own memory, and secret contents to copy into them.

    `contents` is the number of contents. Number 0 is for warming up.
    """

    @property
    def count(self) -> int:
        """The number of sets."""

    @property
    def contents(self) -> int:
        """The number of distinct input sets."""

    @property
    def output_bytes(self) -> int:
        """The size of all outputs of one set."""

    def arm(self, number: int, content: int) -> None:
        """Prepare a set for a call on `content`: poison or clear its outputs."""

    def clear_inputs(self, number: int) -> None:
        """Zero the inputs of a set, so that a program that does not wait for new inputs finds no old ones."""

    def landings(self, number: int) -> Sequence[tuple[Buffer, PrivateBytes]]:
        """The arrays of an armed set, each with the contents to copy into it: inputs, poison or zeros."""

    def outputs(self, number: int) -> Sequence[tuple[Buffer, PrivateBytes]]:
        """The outputs of a set, each with the memory for its copy."""

    def verify(self, number: int) -> InspectionResult | None:
        """Check a set after a call: guard bands, inputs, all elements of the copies, and the live outputs.

        Returns None if all of it is right.
        """


class QuietGuard(Protocol):
    """Observes the GPU before and after each block of calls, and decides whether the block counts."""

    def begin(self) -> None:
        """Observe the GPU before a block of calls."""

    def end(self) -> str | None:
        """Observe the GPU after a block. Returns None if the block counts, else why it must be discarded."""

    @property
    def conditions(self) -> Conditions:
        """Return the state of the GPU during the blocks that counted."""
