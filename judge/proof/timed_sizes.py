"""Checks that timed cases run long enough to rank on a chosen GPU, and fit its memory.

Theory of operation. A proof needs no GPU, so the times and sizes are computed from a data sheet: the roofline
of the problem's formulas on that model, and the peak memory of a judgement. If a case does not fit, suitable
sizes are searched by doubling or halving the largest sizes.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from judge.clock.calibration import Calibration
from judge.clock.roofline import operations_per_s
from judge.clock.sets import copies_of, footprint_of
from judge.drawn import inputs, layout
from judge.gpu.pool.source import LEAST_TIMED_SETS
from judge.proof.results import ProofFinding, TimedSize, error
from judge.sizes import bytes_of, shape_of
from problems.formula import FormulaError
from problems.parse import MAX_SIZE
from problems.schema import Case, Problem
from problems.vocabulary import Group, Role

MIN_TIMED_US = 20.0  # launch overhead dominates shorter kernels
MAX_TIMED_BYTES = 8 * 2**30
DEFAULT_GPU = "H200"
_FREE = 0.9  # share of the memory; contexts and sets of other problems use the rest
_ALIKE = 8  # sizes within this factor of the largest are scaled with it
_TOML = "problem.toml"


@dataclass(frozen=True, slots=True)
class GpuModel:
    """A GPU model by its data sheet. Rates are for dense arithmetic, without temporary boosts."""

    name: str
    memory_bytes: int
    bytes_per_s: float
    float16_per_s: float
    float32_per_s: float
    float64_per_s: float
    l2_bytes: int

    @property
    def rates(self) -> Calibration:
        """The calibration of a GPU that reaches the rates of its data sheet."""
        rates = {"float16": self.float16_per_s, "float32": self.float32_per_s, "float64": self.float64_per_s}
        return Calibration(self.name, "data sheet", self.bytes_per_s, rates, self.l2_bytes)


# Source: NVIDIA's data sheets of these products (SXM where there are several), and their architectures' white
# papers for the L2 caches. float16 is the rate of tensor cores without sparsity.
MODELS = {
    model.name: model
    for model in (
        GpuModel("T4", 16 * 10**9, 320e9, 65e12, 8.1e12, 0.25e12, 4 << 20),
        GpuModel("L4", 24 * 10**9, 300e9, 121e12, 30.3e12, 0.47e12, 48 << 20),
        GpuModel("A10", 24 * 10**9, 600e9, 125e12, 31.2e12, 0.49e12, 6 << 20),
        GpuModel("L40S", 48 * 10**9, 864e9, 362e12, 91.6e12, 1.4e12, 96 << 20),
        GpuModel("A100", 80 * 10**9, 2039e9, 312e12, 19.5e12, 9.7e12, 40 << 20),
        GpuModel("H100", 80 * 10**9, 3.35e12, 989e12, 67e12, 34e12, 50 << 20),
        GpuModel("H200", 141 * 10**9, 4.8e12, 989e12, 67e12, 34e12, 50 << 20),
    )
}


def find_gpu(name: str) -> GpuModel:
    """Return the model with this name, such as `H200` or `NVIDIA A100-SXM4-80GB`. Raises ValueError."""
    words = re.split(r"[^A-Z0-9]+", name.upper())
    for model in MODELS.values():
        if model.name in words:
            return model
    raise ValueError(f"no data sheet for {name!r}; available: {', '.join(MODELS)}")


def measure_timed(problem: Problem, gpu: GpuModel) -> tuple[TimedSize, ...]:
    """Return the suitability of each timed case for `gpu`."""
    return tuple(_measure(problem, case, gpu) for case in problem.cases if case.group is Group.TIMED)


def check_timed(problem: Problem, measured: tuple[TimedSize, ...]) -> Iterator[ProofFinding]:
    """Yield findings on the timed cases with the figures `measured`."""
    on_host = any(argument.memory.on_host for argument in problem.arguments)
    untimed = on_host or problem.has_own_gpus or problem.score is not None or problem.under_test is not None
    if not measured and not untimed:
        yield error(f"{_TOML}: cases", "no timed case", 'add one with group = "timed"')
    places = {case.name: f"{_TOML}: cases[{index}].sizes" for index, case in enumerate(problem.cases)}
    for found in measured:
        advice = f", such as {_written(found.advised)}" if found.advised else ""
        if found.floor_us < MIN_TIMED_US:
            yield error(
                places[found.case],
                f"a perfect program takes {found.floor_us:.1f} µs on a GPU {found.gpu}, too short to rank",
                f"enlarge the sizes until it takes {MIN_TIMED_US:g} µs or more{advice}",
            )
        total = array_bytes(problem, found.sizes)
        if total > MAX_TIMED_BYTES:
            yield error(
                places[found.case],
                f"its arrays take {total / 2**30:.1f} GiB",
                f"reduce the sizes to {MAX_TIMED_BYTES / 2**30:g} GiB or less{advice}",
            )
        elif found.needed_bytes > found.available_bytes:
            yield error(
                places[found.case],
                f"judging it takes {found.needed_bytes / 2**30:.1f} GiB of memory, and a GPU {found.gpu} has "
                f"{found.available_bytes / 2**30:.1f} GiB to spare",
                f"reduce the sizes{advice}",
            )


def floor_us(problem: Problem, sizes: Mapping[str, int], gpu: GpuModel) -> float:
    """Return the least time in which `gpu` can run a case of these sizes, in microseconds."""
    moving_s = problem.bytes_moved.evaluate(sizes) / gpu.bytes_per_s
    computing_s = problem.operations.evaluate(sizes) / operations_per_s(problem, gpu.rates)
    return max(moving_s, computing_s) * 1e6


def array_bytes(problem: Problem, sizes: Mapping[str, int]) -> int:
    """Return the bytes of all arrays of a case of these sizes."""
    arrays = [argument for argument in problem.arguments if argument.role is not Role.SCALAR]
    return sum(bytes_of(argument, sizes) for argument in arrays)


def needed_bytes(problem: Problem, case: Case) -> int:
    """Return the peak GPU memory in bytes of judging a timed case.

    This includes drawn sets, the buffers of a timed session with poison and copies, and, for the reference,
    its arguments in float64 and its results. Further memory of a reference is unknown.
    """
    _, set_bytes = layout(problem, case)
    widened = sum(8 * math.prod(shape_of(argument, case.sizes)) for argument in inputs(problem))
    session = footprint_of(problem, case) + copies_of(problem, case)
    return (LEAST_TIMED_SETS + 1) * set_bytes + session + widened


def _measure(problem: Problem, case: Case, gpu: GpuModel) -> TimedSize:
    fits = _fits(problem, case, gpu)
    return TimedSize(
        case=case.name,
        gpu=gpu.name,
        sizes=dict(case.sizes),
        floor_us=floor_us(problem, case.sizes, gpu),
        needed_bytes=needed_bytes(problem, case),
        available_bytes=int(_FREE * gpu.memory_bytes),
        advised=None if fits else _advise(problem, case, gpu),
    )


def _fits(problem: Problem, case: Case, gpu: GpuModel) -> bool:
    return (
        floor_us(problem, case.sizes, gpu) >= MIN_TIMED_US
        and array_bytes(problem, case.sizes) <= MAX_TIMED_BYTES
        and needed_bytes(problem, case) <= _FREE * gpu.memory_bytes
    )


def _advise(problem: Problem, case: Case, gpu: GpuModel) -> Mapping[str, int] | None:
    """Return sizes like those of `case` that fit, None if doubling or halving the largest finds none."""
    largest = max(case.sizes.values())
    scaled = [name for name, value in case.sizes.items() if value * _ALIKE > largest]
    grow = floor_us(problem, case.sizes, gpu) < MIN_TIMED_US
    sizes = dict(case.sizes)
    for step in range(32 * len(scaled)):
        name = scaled[step % len(scaled)]
        sizes[name] = sizes[name] * 2 if grow else sizes[name] // 2
        if not 1 <= sizes[name] <= MAX_SIZE:
            return None
        try:
            if _fits(problem, Case(case.name, case.group, sizes), gpu):
                return sizes
        except FormulaError:
            return None
    return None


def _written(sizes: Mapping[str, int]) -> str:
    """Return the sizes in the syntax of problem.toml."""
    return "{ " + ", ".join(f"{name} = {value}" for name, value in sizes.items()) + " }"
