"""What the trusted clock works with and what it answers. Values and protocols only.

`session.time_case` is the one function that callers need:

    orders = Orders(descriptor of the page, ended)
    null = measure_null(orders, policy)              # in a TIME session before LOAD
    found = time_case(orders, sets, guard, policy, null, floor_us=..., deadline_s=...)

`found` is a `Timing`, a `Rejection` (charged to the program) or `Disturbed` (charged to nobody: run it
again). `OrderUnanswered` is raised when the runner ended, was cancelled or took too long, and DeviceLost
passes through from the memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from judge.report import Mismatch
from problems.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Policy:
    """How a case is timed. The defaults keep three cases within a second; docs/adr/0009 gives the reasons.

    Units are in the names; shares are fractions of the figure. `gate` allowances are how far the batch
    figure may lie under the gated figure, because a single call also pays for cold caches and for its
    launch; `fresh` ones the same for the few calls whose contents the program had never seen.
    """

    batch_ms: float = 20.0
    budget_ms: float = 300.0
    min_batches: int = 5
    max_batches: int = 15
    max_calls: int = 20_000
    warm_up_calls: int = 3
    min_gated: int = 5
    max_gated: int = 40
    gated_share: float = 0.35
    blanks: int = 2
    precision_share: float = 0.005
    gate_share: float = 0.015
    gate_us: float = 1.0
    fresh_share: float = 0.03
    fresh_us: float = 3.0
    launch_us: float = 0.0
    impossible_share: float = 0.5
    drift_share: float = 0.02
    drift_us: float = 3.0
    max_discards: int = 6
    null_calls: int = 200
    rotation: float = 4.0
    max_sets: int = 64


@dataclass(frozen=True, slots=True)
class Null:
    """What the protocol costs with a null kernel, microseconds from go to done, before any foreign code.

    `spread_us` is the distance between the quartiles.
    """

    us: float
    spread_us: float


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why the program gets no time: a wrong output, a broken rule, or a time that cannot be.

    The counts are of the set of arguments that was judged.
    """

    verdict: Verdict
    message: str
    checked: int = 0
    mismatched: int = 0
    mismatches: tuple[Mismatch, ...] = ()


@dataclass(frozen=True, slots=True)
class Disturbed:
    """The GPU was never quiet long enough. Nobody is charged; the case can be timed again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the GPU was while it was timed; None where NVML does not say."""

    sm_mhz: int | None = None
    memory_mhz: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None


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

    def verify(self, number: int) -> Rejection | None:
        """Judge the snapshot of a set: guard bands, inputs, every element, and the live outputs again."""


class Guard(Protocol):
    """Watches the GPU round a block of repetitions, and says which blocks do not count."""

    def begin(self) -> None:
        """A block of repetitions starts."""

    def end(self) -> str | None:
        """It is over: None, or why it must be discarded."""

    @property
    def conditions(self) -> Conditions:
        """Of the last block that counted."""


class Stillness(Protocol):
    """Tells whether anything of somebody else's is running on the GPU."""

    def still(self) -> bool:
        """Whether the whole GPU is free now."""
