"""What the protocol costs by itself, measured before any foreign code is loaded.

Theory of operation. Before LOAD the runner answers orders with a null kernel of ours, through the same page,
with the same launch and the same wait for the device: from go to done, that is what every order pays. The
referee's own snapshots are timed at two sizes. Nothing that a submission does later can make these figures
larger, so they are what its snapshots are held against while it runs.

A neighbour that shares the GPU at that moment can only make them too large. The lower quartile keeps that
small, and an overhead of microseconds is nothing in a batch of 20 ms.
"""

import statistics
from collections.abc import Callable, Sequence

from judge.clock.contracts import Null, Ordering, Policy
from judge.memory import Memory

_US = 1000
_MIB = 2**20
_SMALL_BYTES = 4096
_COPIES = 9
_WARM_UP = 20
_TIMEOUT_S = 10.0


def measure_null(orders: Ordering, memory: Memory, policy: Policy) -> Null:
    """Measure it, in a session whose runner has loaded no code of a submission."""
    for _ in range(_WARM_UP):
        _order(orders)
    us = lower_quartile([_order(orders) for _ in range(policy.null_calls)])
    small_us = _copy_us(orders, memory, _SMALL_BYTES)
    large_bytes = policy.copy_mib * _MIB
    large_us = max(small_us, _copy_us(orders, memory, large_bytes))
    per_mib = (large_us - small_us) * _MIB / (large_bytes - _SMALL_BYTES)
    return Null(us, small_us, per_mib)


def lower_quartile(samples: Sequence[float]) -> float:
    """A quarter of the samples are lower."""
    return statistics.quantiles(samples, n=4, method="inclusive")[0]


def timed_us(orders: Ordering, work: Callable[[], object]) -> float:
    """How long `work` takes."""
    started = orders.now()
    work()
    return (orders.now() - started) / _US


def _order(orders: Ordering) -> float:
    given = orders.give(first_set=0, count=1)
    return (orders.wait(timeout_s=_TIMEOUT_S) - given) / _US


def _copy_us(orders: Ordering, memory: Memory, size_bytes: int) -> float:
    buffer = memory.buffer("null", size_bytes)
    try:
        kept = buffer.snapshot()
        memory.synchronize()

        def copy() -> None:
            buffer.snapshot(kept)
            memory.synchronize()

        copy()
        return lower_quartile([timed_us(orders, copy) for _ in range(_COPIES)])
    finally:
        buffer.close()
