"""Watches the GPU while it is timed, through NVML.

Theory of operation. The guard queries NVML before and after each block of calls, never during a call. A query
takes about a millisecond. A block does not count in these cases:

- The clocks were throttled for a reason that the program does not cause: heat, the power supply, or another
  GPU's clocks.
- The SM clock fell below its highest earlier value, and the power cap was not the reason.
- The memory clock changed.
- A process that does not belong to this judgement had memory on the GPU.

A block counts if the program draws so much power that the power cap slows it down: then the program is slow.
Processes of earlier judgements may still be ending, which takes seconds on a busy host. So each session waits
for other processes to leave, but only a few seconds in total.
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
    """A guard for hosts without a GPU: every block counts."""

    conditions = Conditions()

    def begin(self) -> None:
        """Do nothing."""

    def end(self) -> str | None:
        """Return None: every block counts."""
        return None


class GpuGuard:
    """Observes one GPU. `ask` returns a sample of its current state.

    `ours` takes a process id on the host. It says whether this process belongs to this judgement or serves it
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
        """Wait a limited time for other processes to leave, then sample the GPU before a block."""
        self._before = self._ask()
        while self._other(self._before) is not None and self._waited_s < _LEAVE_S:
            time.sleep(_POLL_S)
            self._waited_s += _POLL_S
            self._before = self._ask()

    def end(self) -> str | None:
        """Sample the GPU after a block. Returns None if the block counts, else why it does not."""
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
        """The medians of the samples that were taken after the blocks that counted."""
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
        """Return the id of a foreign process with memory on the GPU, or None."""
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
