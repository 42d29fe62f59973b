"""One repetition of a timed session: a gated call, a blank one, or a batch. Each is checked in full.

Theory of operation. A gated call:

    hide       poison every array of a set: inputs too, so that nothing can be computed ahead
    complete   put a secret choice of contents into the inputs, sweep the cache, and wait for the device
    go         the clock starts
    done       the runner says so; believed for nothing but the end of the wait
    snapshot   the referee copies the outputs, and waits for the device: the clock stops
    verify     guard bands, inputs, every element of the copy, and then the live outputs once more

The figure is that time less the null's and less what a snapshot of these outputs takes on an idle GPU. It is
never less than the time from go to done less the null's. A program that says done too early gains nothing:
what is not there when the snapshot is taken is wrong, and what delays the snapshot is on the clock.

A blank is a gated call whose go is held back for a random while. The outputs must still be poison then,
nothing may run on the GPU, and no order may be done. It gives no figure, and from inside it looks like the
others until it is too late. In a batch the clock goes from go to the snapshots of all sets that were
called, which are taken in a secret order.
"""

import math
import random
import statistics
from collections.abc import Callable, Sequence
from typing import TypeVar

from judge.clock.contracts import Disturbed, Guard, Null, Ordering, Policy, TimedSets
from judge.clock.null import timed_us
from judge.inspector import Finding
from problems.vocabulary import Verdict

_US = 1000
_LOOKS = 3
_LOOK_US = 500.0
_QUIET_SNAPSHOTS = 3
_SLOW_LOOKS = 20  # this host's own doings make one slow now and then, a busy GPU every one
_MOST_BLANK_US = 5000.0

EARLY = "The program worked on a call before it was asked for it."
BUSY = "Work of the program was still running on the GPU when its calls were said to be done."

_Sample = TypeVar("_Sample")


class Over(Exception):
    """Raised inside the clock when the outcome is known before there is a figure."""

    def __init__(self, found: Finding | Disturbed) -> None:
        super().__init__(found)
        self.found = found


class Repetitions:
    """Makes repetitions and counts those that had to be discarded. Times are microseconds.

    Every method raises Over when something was wrong, when something happened that may not happen, or when
    too many repetitions had to be discarded.
    """

    def __init__(
        self,
        orders: Ordering,
        sets: TimedSets,
        guard: Guard,
        policy: Policy,
        null: Null,
        *,
        timeout_s: float,
        dice: random.Random,
    ) -> None:
        self._orders, self._sets, self._guard = orders, sets, guard
        self._policy, self._null, self._dice = policy, null, dice
        self._timeout_s = timeout_s
        self._quiet_us: dict[int, list[float]] = {}
        self._outside = False
        self.discarded = 0

    def guarded(self, repetition: Callable[[], _Sample]) -> _Sample:
        """The sample that `repetition` gives on a quiet GPU; it is repeated until there is one."""
        while True:
            self._guard.begin()
            sample = repetition()
            reason = self._guard.end()
            if reason is None:
                return sample
            self._outside = True
            self.discarded += 1
            if self.discarded > self._policy.max_discards:
                raise Over(self.disturbed(reason))

    def disturbed(self, reason: str) -> Disturbed:
        """What to say when `reason` is why there is no figure."""
        return Disturbed(reason, outside=self._outside)

    def gated(self, content: int) -> float:
        """One call on `content` in a set of chance."""
        number = self._dice.randrange(self._sets.count)
        self._sets.hide([number])
        self._sets.complete(number, content)
        sample, _ = self._timed([number], first=number, count=1, expected_us=0.0)
        return sample

    def blank(self, content: int, expected_us: float) -> None:
        """One call on `content` whose go comes late. `expected_us` is what a call takes."""
        number = self._dice.randrange(self._sets.count)
        self._sets.hide([number])
        self._sets.complete(number, content)
        wait_us = max(self._policy.blank_us, min(expected_us, _MOST_BLANK_US))
        self._orders.pause(wait_us * self._dice.uniform(1.0, 2.0))
        self._require_untouched(number)
        self._require_stillness(EARLY)
        self._timed([number], first=number, count=1, expected_us=expected_us)

    def batch(self, count: int, expected_us: float, contents: Sequence[int]) -> tuple[float, float]:
        """`count` calls on sets of chance, each with one of `contents`; per call, ours and self-reported.

        The sets that are called follow each other round and round from a random first one. With arguments
        that are read and written `count` must not be above the number of sets.
        """
        first = self._dice.randrange(self._sets.count)
        window = [(first + step) % self._sets.count for step in range(min(count, self._sets.count))]
        self._sets.arm(window, [self._dice.choice(contents) for _ in window])
        self._require_untouched(self._dice.choice(window))
        return self._timed(window, first=first, count=count, expected_us=expected_us)

    def quiet_snapshot_us(self, numbers: Sequence[int]) -> float:
        """What a snapshot of so many sets takes while nothing else runs, by all looks so far.

        Raises Over when it takes much longer, again and again, than it did before any foreign code ran.
        """
        known = self._quiet_us.setdefault(len(numbers), [])
        for _ in range(1 if known else _QUIET_SNAPSHOTS):
            known.append(self._quiet_look(numbers))
        return statistics.median(known)

    def _quiet_look(self, numbers: Sequence[int]) -> float:
        alone_us = self._null.snapshot_us(self._sets.output_bytes) * len(numbers)
        most_us = alone_us * (1 + self._policy.copy_share) + self._policy.copy_us
        best_us = math.inf
        for _ in range(_SLOW_LOOKS):
            us = timed_us(self._orders, lambda: self._sets.snapshot(numbers))
            if us <= most_us:
                return us
            best_us = min(best_us, us)
        reason = f"took {best_us:.0f} us at best, and on an idle GPU takes {most_us:.0f} us at most."
        raise Over(self.disturbed(f"A snapshot of {len(numbers)} sets {reason}"))

    def _timed(
        self, window: Sequence[int], *, first: int, count: int, expected_us: float
    ) -> tuple[float, float]:
        secret_order = self._dice.sample(window, len(window))
        given = self._orders.give(first_set=first, count=count)
        done = self._orders.wait(timeout_s=self._timeout_s + 10 * count * expected_us / 1e6)
        self._sets.snapshot(secret_order)
        taken = self._orders.now()
        for number in secret_order:
            if finding := self._sets.verify(number):
                raise Over(finding)
        self._require_stillness(BUSY)
        snapshot_us = self.quiet_snapshot_us(secret_order)
        spent_us = max((done - given) / _US, (taken - given) / _US - snapshot_us)
        return (spent_us - self._null.us) / count, self._orders.self_reported_us / count

    def _require_untouched(self, number: int) -> None:
        if self._orders.premature or not self._sets.untouched(number):
            raise Over(Finding(Verdict.REJECTED, EARLY))

    def _require_stillness(self, broken: str) -> None:
        for look in range(_LOOKS):
            if look:
                self._orders.pause(_LOOK_US)
            if self._guard.still():
                return
        raise Over(Finding(Verdict.REJECTED, broken))
