"""Times single calls, and blocks of calls during which NVML reports an idle GPU. Checks each in full.

Theory of operation. A call:

    arm        poison the outputs of a set of chance
    order      have the runner queue the call behind the gate, where its program lets it
    pass       the gate lands the contents, lets the call go and watches its outputs (`judge.gpu.device.gate`)
    verify     guard bands, inputs, every element of the copies, and then the live outputs once more

Its time runs from the release to the last change that was seen in the outputs. Outputs that change after
the flag DONE are a rejection: a program that sets it early has left work undone, and that work is not timed.

Some programs work on streams of their own that do not wait for the default stream. Queued ahead they would
start before their inputs are there, and be wrong without being at fault. Such a program is called by its
host once the gate is open instead. The time of its launches counts then, and its result says so.

Warming up finds these programs. Their first call may still be right: whatever waits for the whole device,
such as the first launch of a kernel or cudaFree, waits for the gate too. So every warm-up call is looked at,
each meets inputs of zeros until its own have landed, and all are repeated if one of them was wrong.
"""

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
_SHORT_QUEUE_S = 0.001  # for programs that wait for their own work: their first launches take less

EARLY = "The program reported a call as finished before its outputs were complete."
BUSY = "The program still had work running on the GPU between its calls."
UNORDERED = (
    " When timed, solve is called before its inputs are complete, and its work waits for them in the default "
    "stream. If it uses a stream with cudaStreamNonBlocking, that stream does not wait. Create the stream "
    "without this flag, or record an event in the default stream and wait for it with cudaStreamWaitEvent."
)


class Over(Exception):
    """Raised inside the clock when the outcome is known before there is a figure."""

    def __init__(self, found: InspectionResult | Interfered) -> None:
        super().__init__(found)
        self.found = found


class Calls:
    """Makes calls and counts the blocks that had to be discarded. Times are microseconds.

    Every method raises Over when something was wrong, when something happened that may not happen, or when
    too many blocks had to be discarded. `queued` says whether calls are queued ahead.
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
        self._next = dice.randrange(sets.count)
        self.queued = gate.descriptor is not None
        self.expected_us = 0.0
        self.discarded = 0

    def block(self, contents: Sequence[int]) -> list[float]:
        """One call on each content. Empty when the block had to be discarded: its contents are used up."""
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
        """One call on `content`, in the next set."""
        self._next = number = self._following
        self._sets.arm(number, content)
        self._orders.give(argument_set=number, queued=self.queued)
        if self.queued and not self._orders.await_queued(timeout_s=self._queue_s):
            self._queue_s = _SHORT_QUEUE_S
        seen = self._observed(number)
        if seen.timed_out:
            raise OrderUnanswered(ReplyStatus.TIMED_OUT)
        self._orders.await_done(timeout_s=self._timeout_s)
        if finding := self._sets.verify(number):
            raise Over(self._explained(finding))
        if seen.moved:
            raise Over(InspectionResult(Verdict.REJECTED, EARLY))
        return seen.last_us

    def warm_up(self, content: int) -> None:
        """Make everything that happens only once happen, and find out how the program can be called.

        A program that cannot be queued ahead answers wrongly in one of the calls; it gets a second chance.
        """
        samples = _retried(lambda: self._warm_calls(content), self._stop_queueing)
        self.expected_us = min(samples[1:])

    def _warm_calls(self, content: int) -> list[float]:
        samples = []
        for _ in range(self._policy.warm_calls):
            if self.queued:  # all calls have the same content, which an earlier one may have left in the set
                self._sets.clear_inputs(self._following)
            samples.append(self.one(content))
        return samples

    def _stop_queueing(self) -> bool:
        """Call from now on. False when that is done already."""
        queued, self.queued = self.queued, False
        return queued

    def _explained(self, finding: InspectionResult) -> InspectionResult:
        """The finding, with what may be its cause if only timing makes the program wrong."""
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
                expected_us=self.expected_us,
                timeout_s=self._timeout_s,
            )
            if seen.alone:
                return seen
        raise Over(InspectionResult(Verdict.REJECTED, BUSY))


def _retried(work: Callable[[], list[float]], may_retry: Callable[[], bool]) -> list[float]:
    try:
        return work()
    except Over:
        if not may_retry():
            raise
    return work()
