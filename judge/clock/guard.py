"""Watches the GPU while it is timed, through NVML.

Theory of operation. NVML is asked before and after each block of repetitions, outside the timed stretch; a
question takes about a millisecond. A block does not count when the clocks were held down for a reason that
is not the program's own doing (heat, the power supply, another GPU's clocks), when the SM clock fell below
what it was before without the power cap as its reason, when the memory clock changed, or when a process that
is none of ours had memory on the GPU. A program that draws so much power that the cap slows it down is slow:
that counts. The processes of earlier judgements may still be ending, which takes seconds on a busy host: a
session waits a few seconds in all for other processes to leave.
"""

import statistics
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from judge.clock.contracts import Conditions
from sandbox.gpu.nvml import GpuSample, Throttle

_CLOCK_SHARE = 0.03
_LEAVE_S = 5.0  # for all other processes of a session
_POLL_S = 0.05
_Number = TypeVar("_Number", int, float)
_DISTURBING = frozenset(
    {
        Throttle.HARDWARE_SLOWDOWN,
        Throttle.SYNC_BOOST,
        Throttle.SOFTWARE_THERMAL,
        Throttle.HARDWARE_THERMAL,
        Throttle.POWER_BRAKE,
    }
)


class NoGuard:
    """For hosts without a GPU: everything counts."""

    conditions = Conditions()

    def begin(self) -> None:
        """Nothing to watch."""

    def end(self) -> str | None:
        """Everything counts."""
        return None


class GpuGuard:
    """Watches one GPU by `ask`, which returns a Sample of it now.

    `ours` tells by the process id on the host whether a process belongs to this judgement or serves it
    (the runner, the referees, the secret pool, MPS itself).
    """

    def __init__(
        self,
        ask: Callable[[], GpuSample],
        ours: Callable[[int], bool],
    ) -> None:
        self._ask = ask
        self._ours = ours
        self._before: GpuSample | None = None
        self._best_sm_mhz = 0
        self._counted: list[GpuSample] = []
        self._waited_s = 0.0

    def begin(self) -> None:
        """Look before a block, once other processes have left or the time to wait for them is over."""
        self._before = self._ask()
        while self._other(self._before) is not None and self._waited_s < _LEAVE_S:
            time.sleep(_POLL_S)
            self._waited_s += _POLL_S
            self._before = self._ask()

    def end(self) -> str | None:
        """Look after it, and compare."""
        after = self._ask()
        before = self._before or after
        reason = (
            _held_down(before)
            or _held_down(after)
            or self._slowed(after)
            or _memory_clock(before, after)
            or self._visited(before, after)
        )
        if reason is None:
            self._counted.append(after)
        return reason

    @property
    def conditions(self) -> Conditions:
        """The middle of what was seen after the blocks that counted."""
        seen = self._counted
        return Conditions(
            sm_mhz=_middle(sample.sm_mhz for sample in seen),
            memory_mhz=_middle(sample.memory_mhz for sample in seen),
            temperature_c=_middle(sample.temperature_c for sample in seen),
            power_w=_middle(sample.power_w for sample in seen),
        )

    def _slowed(self, after: GpuSample) -> str | None:
        if after.sm_mhz is None:
            return None
        self._best_sm_mhz = max(self._best_sm_mhz, after.sm_mhz)
        if after.sm_mhz >= (1 - _CLOCK_SHARE) * self._best_sm_mhz or Throttle.POWER_CAP in after.throttle:
            return None
        return f"The SM clock fell from {self._best_sm_mhz} to {after.sm_mhz} MHz."

    def _visited(self, before: GpuSample, after: GpuSample) -> str | None:
        other = self._other(before) or self._other(after)
        return None if other is None else f"Another process used the GPU: {other}."

    def _other(self, sample: GpuSample) -> int | None:
        """A process with memory on the GPU that is none of ours."""
        return next((process.pid for process in sample.processes if not self._ours(process.pid)), None)


def _held_down(sample: GpuSample) -> str | None:
    reasons = [reason.value for reason in sample.throttle if reason in _DISTURBING]
    return f"The GPU's clocks were throttled: {', '.join(reasons)}." if reasons else None


def _memory_clock(before: GpuSample, after: GpuSample) -> str | None:
    if before.memory_mhz == after.memory_mhz:
        return None
    return f"The memory clock changed from {before.memory_mhz} to {after.memory_mhz} MHz."


def _middle(values: Iterable[_Number | None]) -> _Number | None:
    known = [value for value in values if value is not None]
    return statistics.median_low(known) if known else None
