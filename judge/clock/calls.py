"""Times single calls and blocks of calls, and checks all outputs of each call.

NVML decides which blocks count.

Theory of operation. A call has four steps:

    arm        poison the outputs of the next set; the first set is random
    order      have the runner queue the call behind the gate, where its program lets it
    pass       the gate lands the contents, lets the call go and watches its outputs (`judge.gpu.device.gate`)
    verify     guard bands, inputs, every element of the copies, and then the live outputs once more

The time of a call runs from the release to the last change that the gate saw in the outputs, or longer if the
program worked after that. The flag DONE of an honest program follows its last change by 1 to 5 us. The clock
ignores 3 us of this (`Policy.done_slack_us`), or 1.5 us for small outputs, and charges the rest. Otherwise a
program could write a likely result first, and verify it in time that is not charged. If outputs change after
DONE, the program is rejected: it set the flag before all of its work was done, so the rest of this work was
not timed.

If `solve` waits for the GPU, or is called when the gate is open, the host sets DONE after its wait, some
microseconds later. This is charged, too: nothing distinguishes it from work.

Some programs use streams of their own that do not wait for the default stream. If such a program were queued
behind the gate, it would start before its inputs are copied and compute wrong outputs, although it is
correct. So the host calls it after the gate has opened. The time then includes its launches, and the result
says so.

The warm-up detects these programs. Their first call may still be correct: an operation that waits for the
whole device, such as the first launch of a kernel or cudaFree, waits for the gate too. So the clock checks
every warm-up call. Each call finds zeros in its inputs until its own inputs are copied. If one call is wrong,
all warm-up calls are repeated without queueing.

The watch of the outputs can start before the program's kernels or after them. Before them, it takes a place
that a grid that fills the GPU needs for one of its blocks, which makes a short call up to 2.3 us longer.
After them, it does not see the end of very short calls, which then seem to end when it starts. Either way,
the time is never too short. So the clock warms up short calls both ways. It watches before the kernels unless
the other way is clearly faster, because a choice between nearly equal ways would differ between sessions.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from judge.clock.contracts import (
    CallGate,
    CallObservation,
    Interfered,
    Ordering,
    Policy,
    QuietGuard,
    TimedSets,
)
from judge.clock.page import OrderUnanswered
from judge.runner.client import ReplyStatus
from judge.runner.inspector import InspectionResult
from problems.vocabulary import Verdict

_US = 1000
_CLEARLY_US = 0.5  # more than two minima of three calls differ by chance
_SHORT_QUEUE_S = 0.001  # for programs that synchronize in `solve`: their first launches take less

EARLY = "The program reported a call as finished before its outputs were complete."
BUSY = "The program still had work running on the GPU between its calls."
UNORDERED = (
    " When timed, solve is called before its inputs are complete, and its work waits for them in the default "
    "stream. If it uses a stream with cudaStreamNonBlocking, that stream does not wait. Create the stream "
    "without this flag, or record an event in the default stream and wait for it with cudaStreamWaitEvent."
)


class Over(Exception):
    """Raised inside the clock to end a session without a time. `found` is the result."""

    def __init__(self, found: InspectionResult | Interfered) -> None:
        super().__init__(found)
        self.found = found


class Calls:
    """Makes calls and counts the blocks that had to be discarded. Times are microseconds.

    Every method raises Over if an output was wrong, if the program broke a rule, or if too many blocks had to
    be discarded. `queued` says whether calls are queued ahead, and `watch_first` whether the watch of their
    outputs starts before the program's kernels. `waits` says that the last call was not queued in time,
    because `solve` waits for the GPU. `expected_us` is the time of the fastest warm-up call, and `turn_us`
    the shortest time that the host needed for one, with its preparation and its checks.
    """

    def __init__(
        self,
        orders: Ordering,
        sets: TimedSets,
        gate: CallGate,
        guard: QuietGuard,
        policy: Policy,
        *,
        timeout_s: float,
        dice: random.Random,
    ) -> None:
        self._orders, self._sets, self._gate, self._guard = orders, sets, gate, guard
        self._policy, self._timeout_s, self._dice = policy, timeout_s, dice
        self._queue_s = policy.queue_ms / 1000
        small = sets.output_bytes <= policy.small_outputs_bytes
        self._slack_us = policy.done_slack_small_us if small else policy.done_slack_us
        self._next = dice.randrange(sets.count)
        self.queued = gate.descriptor is not None
        self.watch_first = self.queued
        self.expected_us = 0.0
        self.turn_us = math.inf
        self.discarded = 0
        self.waits = False

    def block(self, contents: Sequence[int]) -> list[float]:
        """Make one call on each content. Returns the times, or an empty list if the block does not count.

        The program has then seen the contents of this block, so they cannot be used again.
        """
        self._guard.begin()
        samples = [self.one(content) for content in contents]
        reason = self._guard.end()
        if reason is None:
            return samples
        self.discarded += 1
        if self.discarded > self._policy.max_discards:
            raise Over(Interfered(reason))
        return []

    @property
    def _following(self) -> int:
        """The set of the next call."""
        return (self._next + 1) % self._sets.count

    def one(self, content: int) -> float:
        """Make one call on `content` in the next set, and return its time."""
        self._next = number = self._following
        self._sets.arm(number, content)
        self._orders.give(argument_set=number, queued=self.queued)
        self.waits = self.queued and not self._orders.await_queued(timeout_s=self._queue_s)
        if self.waits:
            self._queue_s = _SHORT_QUEUE_S
        seen = self._observed(number)
        if seen.timed_out:
            raise OrderUnanswered(ReplyStatus.TIMED_OUT)
        self._orders.await_done(timeout_s=self._timeout_s)
        if finding := self._sets.verify(number):
            raise Over(self._explained(finding))
        if seen.moved:
            raise Over(InspectionResult(Verdict.REJECTED, EARLY))
        return max(seen.last_us, seen.done_us - self._slack_us)

    def warm_up(self, content: int) -> None:
        """Make the warm-up calls on `content`, and find out whether the program's calls can be queued ahead.

        A program that cannot be queued ahead computes a wrong output in one of these calls, changes it late,
        or keeps the GPU busy. Then all of them are repeated, and the host calls the program when the gate is
        open. For short calls, also find out when the watch of the outputs must start.
        """
        self.expected_us = _retried(lambda: self._warm(content), self._stop_queueing)

    def _warm(self, content: int) -> float:
        """Make the warm-up calls. Sets `watch_first`, and returns the time of the fastest call."""
        self.watch_first = self.queued
        first_us = self._fastest_warm_call(content)
        self.watch_first = False
        if not self.queued or first_us >= self._policy.short_us:
            return first_us
        later_us = self._fastest_warm_call(content)
        self.watch_first = later_us > first_us - _CLEARLY_US
        return min(first_us, later_us)

    def _fastest_warm_call(self, content: int) -> float:
        samples = []
        for _ in range(self._policy.warm_calls):
            if self.queued:  # an earlier call may have left the same content in this set
                self._sets.clear_inputs(self._following)
            begun = self._orders.now()
            samples.append(self.one(content))
            self.turn_us = min(self.turn_us, (self._orders.now() - begun) / _US)
        return min(samples[1:])

    def _stop_queueing(self) -> bool:
        """Stop queueing calls ahead. Returns False if they were not queued ahead before."""
        queued, self.queued = self.queued, False
        return queued

    def _explained(self, finding: InspectionResult) -> InspectionResult:
        """Return the finding. If queueing may have caused a wrong answer, add this to its message."""
        if not self.queued or finding.verdict is not Verdict.WRONG_ANSWER:
            return finding
        return replace(finding, message=finding.message + UNORDERED)

    def _observed(self, number: int) -> CallObservation:
        landings, outputs = self._sets.landings(number), self._sets.outputs(number)
        for look in range(self._policy.looks):
            if look:
                self._orders.pause(self._policy.look_us)
            seen = self._gate.call(
                self._orders,
                landings,
                outputs,
                queued=self.queued,
                watch_first=self.watch_first,
                timeout_s=self._timeout_s,
            )
            if seen.alone:
                return seen
        raise Over(InspectionResult(Verdict.REJECTED, BUSY))


def _retried(work: Callable[[], float], may_retry: Callable[[], bool]) -> float:
    try:
        return work()
    except Over as over:
        found = over.found
        if isinstance(found, InspectionResult) and found.verdict is Verdict.ILLEGAL_ACCESS:
            raise  # a later call does not repair a guard band
        if not may_retry():
            raise
    return work()
