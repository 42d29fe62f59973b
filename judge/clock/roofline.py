"""How fast a case can be on a GPU: the roofline that is shown, and the time below which nobody is believed.

Both follow from the problem's `bytes` and `operations` and from what this GPU was measured to reach. They
differ in caution. The roofline is the model of a textbook: every input read once, every output written
once, the arithmetic at the rate of the problem's dtype. A program can beat it a little: the measured rates
are not the hardware's last word, part of the data may still lie in the L2 cache, TF32 or split
half-precision products outrun the float32 units, and some algorithms need fewer operations than the
formula counts. So what makes a time impossible is far lower, and no honest program comes near it.

Source: S. Williams, A. Waterman, D. Patterson, Roofline, CACM 52(4), 2009.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from judge.clock.calibration import Calibration
from judge.report import Placement
from problems.schema import Problem
from problems.vocabulary import Dtype, Role

_FASTER_BYTES = 1.15  # than measured: reads alone, or a better copy than ours
_CACHED = 2.0  # times the L2 cache: inputs still there from before, outputs not yet written back
_FASTER_MATRICES = 4.0  # than measured in float16: 8-bit and sparse products, and clocks
_FEWER_OPERATIONS = 4.0  # than the formula counts: Winograd, Strassen, FFT, symmetry
_LEAST_US = 1.0  # what a launch takes by itself
_US = 1e6


@dataclass(frozen=True, slots=True)
class Roofline:
    """Microseconds for one call: `floor_us` by the textbook; nobody can be faster than `impossible_us`.

    The rest is what they follow from: what the formulas count in one call, and what the GPU reaches of it.
    """

    floor_us: float
    impossible_us: float
    second_look_us: float = 0.0
    moved_bytes: float = 0.0
    operations: float = 0.0
    bytes_per_s: float = 0.0
    operations_per_s: float = 0.0

    def place(self, median_us: float) -> Placement | None:
        """Where a call of `median_us` lies under it, None where only the times are known."""
        if not self.moved_bytes:
            return None
        return Placement(
            intensity=self.operations / self.moved_bytes,
            bytes_per_s=self.moved_bytes / median_us * _US,
            peak_bytes_per_s=self.bytes_per_s,
            peak_operations_per_s=self.operations_per_s,
        )


def roofline(problem: Problem, sizes: Mapping[str, int], gpu: Calibration) -> Roofline:
    """The roofline of a case with these sizes."""
    moved_bytes = problem.bytes_moved.evaluate(sizes)
    operations = problem.operations.evaluate(sizes)
    reached = operations_per_s(problem, gpu)
    floor_s = max(moved_bytes / gpu.bytes_per_s, operations / reached)
    surely_moved = max(0.0, moved_bytes - _CACHED * gpu.l2_bytes)
    impossible_s = max(
        surely_moved / (_FASTER_BYTES * gpu.bytes_per_s),
        operations / (_FEWER_OPERATIONS * _FASTER_MATRICES * gpu.fastest_operations_per_s),
    )
    return Roofline(
        max(_LEAST_US, floor_s * _US),
        max(_LEAST_US, impossible_s * _US),
        moved_bytes=moved_bytes,
        operations=operations,
        bytes_per_s=gpu.bytes_per_s,
        operations_per_s=reached,
    )


def operations_per_s(problem: Problem, gpu: Calibration) -> float:
    """The rate that belongs to the problem: that of its widest float array, else of float32."""
    dtypes = {argument.dtype for argument in problem.arguments if argument.role is not Role.SCALAR}
    for dtype in (Dtype.FLOAT64, Dtype.FLOAT32):
        if dtype in dtypes:
            return gpu.operations_per_s[dtype.value]
    half = bool(dtypes & {Dtype.FLOAT16, Dtype.BFLOAT16})
    return gpu.operations_per_s[(Dtype.FLOAT16 if half else Dtype.FLOAT32).value]
