"""What each case asks of a GPU, by its data sheet: memory, and the least time that a call can take."""

from dataclasses import dataclass

from judge.proof.timed_sizes import (
    DEFAULT_GPU,
    MIN_TIMED_US,
    MODELS,
    GpuModel,
    array_bytes,
    find_gpu,
    floor_us,
    needed_bytes,
)
from problems.schema import Case, Problem
from problems.vocabulary import Group


@dataclass(frozen=True, slots=True)
class Demand:
    """A case on a GPU: its arrays, the memory that judging it takes, the time of a perfect program.

    `complaint` says what keeps a timed case from being timed there.
    """

    array_bytes: int
    needed_bytes: int
    least_us: float
    complaint: str = ""


def gpu_names() -> list[str]:
    """The models whose data sheets are known."""
    return list(MODELS)


def chosen_gpu(name: str) -> GpuModel:
    """The model called `name`, the usual one where there is none of that name."""
    try:
        return find_gpu(name or DEFAULT_GPU)
    except ValueError:
        return MODELS[DEFAULT_GPU]


def demands(problem: Problem, gpu: GpuModel) -> dict[str, Demand]:
    """What each case of `problem` asks of `gpu`, by its name."""
    return {case.name: _demand(problem, case, gpu) for case in problem.cases}


def _demand(problem: Problem, case: Case, gpu: GpuModel) -> Demand:
    arrays = array_bytes(problem, case.sizes)
    least_us = floor_us(problem, case.sizes, gpu)
    if case.group is not Group.TIMED:
        return Demand(arrays, arrays, least_us)
    needed = needed_bytes(problem, case)
    complaint = ""
    if needed > gpu.memory_bytes:
        complaint = f"does not fit a GPU {gpu.name}"
    elif least_us < MIN_TIMED_US:
        complaint = "too short to rank"
    return Demand(arrays, needed, least_us, complaint)
