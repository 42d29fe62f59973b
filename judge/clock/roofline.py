"""The roofline of a cold call on a GPU, and the thresholds below which times are doubted or rejected.

Theory of operation. The roofline follows from the problem's `bytes` and `operations`, the size of its
outputs, and the measured rates of this GPU (`judge.gpu.device.calibrate`). A counted call is cold: its inputs
are new, and the cache is swept after they are copied and before the call. Therefore:

- *Every byte of the inputs crosses the memory* while the call runs. The sweep removes the inputs from the L2
  cache, and other sets of arguments do not help. So neither `L2` nor `L2 / sets` is subtracted for inputs.
- *Outputs may remain in the cache*, which writes them back later. So a call can end before its last outputs
  have crossed the memory. For this, at most the whole cache is subtracted, once. A calibration measures how
  many bytes cold writes really leave in the cache, and that is less.

So at least `bytes - min(outputs, left in the cache)` bytes cross the memory. If the formula counts every
array once, these are `inputs + max(0, outputs - left)`. They cross at the highest rate that was measured for
any mix of reads and writes; reads alone are faster than a copy. Arithmetic is shown against the rate of the
problem's widest dtype. A program may legitimately use tensor cores (TF32 or split half precision) and exceed
that rate. So a time is rejected only if even the fastest units could not reach it.

A time above 105 % of this roofline must be confirmed by a second timing, and a time above 120 % is rejected.
If a better algorithm can save bytes or operations (Winograd, Strassen, an early exit), the problem declares
this in `formulas.beatable`. No time is rejected because of a count that can be beaten.

Source: S. Williams, A. Waterman, D. Patterson, Roofline, CACM 52(4), 2009.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from judge.clock.calibration import Calibration
from judge.drawn import outputs
from judge.report import Placement
from judge.sizes import bytes_of
from problems.schema import Problem
from problems.vocabulary import Count, Dtype, Role

SECOND_LOOK = 1.05  # of the roofline
IMPOSSIBLE = 1.2
_LEAST_US = 0.2  # an empty launch takes longer, even after the clock's own cost is subtracted
_US = 1e6


@dataclass(frozen=True, slots=True)
class Roofline:
    """Microseconds for one cold call. `floor_us` is the roofline: users see times as a percentage of it.

    A time below `second_look_us` ranks only if a second timing confirms it; a time below
    `impossible_us` never does. The other fields are the inputs: the formulas' counts for one call and the
    GPU's measured rates.
    """

    floor_us: float
    impossible_us: float
    second_look_us: float = 0.0
    moved_bytes: float = 0.0
    operations: float = 0.0
    bytes_per_s: float = 0.0
    operations_per_s: float = 0.0

    def place(self, median_us: float) -> Placement | None:
        """Return the position of a call of `median_us` under the roofline, None if only times are known."""
        if not self.moved_bytes:
            return None
        return Placement(
            intensity=self.operations / self.moved_bytes,
            bytes_per_s=self.moved_bytes / median_us * _US,
            peak_bytes_per_s=self.bytes_per_s,
            peak_operations_per_s=self.operations_per_s,
        )


def roofline(problem: Problem, sizes: Mapping[str, int], gpu: Calibration) -> Roofline:
    """Return the roofline of a case with these sizes on this GPU."""
    moved_bytes = problem.bytes_moved.evaluate(sizes)
    operations = problem.operations.evaluate(sizes)
    reached = operations_per_s(problem, gpu)
    moving_us = surely_moved(problem, sizes, gpu) / gpu.fastest_bytes_per_s * _US
    computing_us = operations / reached * _US
    fastest_us = operations / gpu.fastest_operations_per_s * _US
    sure_bytes = 0.0 if Count.BYTES in problem.beatable else 1.0
    sure_operations = 0.0 if Count.OPERATIONS in problem.beatable else 1.0
    doubted_us = max(sure_bytes * moving_us, sure_operations * computing_us)
    refused_us = max(sure_bytes * moving_us, sure_operations * fastest_us)
    return Roofline(
        floor_us=max(_LEAST_US, moving_us, computing_us),
        impossible_us=max(_LEAST_US, refused_us / IMPOSSIBLE),
        second_look_us=max(_LEAST_US, doubted_us / SECOND_LOOK),
        moved_bytes=moved_bytes,
        operations=operations,
        bytes_per_s=gpu.bytes_per_s,
        operations_per_s=reached,
    )


def surely_moved(problem: Problem, sizes: Mapping[str, int], gpu: Calibration) -> int:
    """Return how many bytes must cross the memory before a cold call can end."""
    written = sum(bytes_of(argument, sizes) for argument in outputs(problem))
    return max(0, problem.bytes_moved.evaluate(sizes) - min(written, gpu.left_in_cache_bytes))


def operations_per_s(problem: Problem, gpu: Calibration) -> float:
    """Return the GPU's rate for the dtype of the problem's widest float array, by default float32."""
    dtypes = {argument.dtype for argument in problem.arguments if argument.role is not Role.SCALAR}
    for dtype in (Dtype.FLOAT64, Dtype.FLOAT32):
        if dtype in dtypes:
            return gpu.operations_per_s[dtype.value]
    half = bool(dtypes & {Dtype.FLOAT16, Dtype.BFLOAT16})
    return gpu.operations_per_s[(Dtype.FLOAT16 if half else Dtype.FLOAT32).value]
