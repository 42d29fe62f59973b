"""The demands of each case on a GPU, by its data sheet: memory, and a lower bound for the time."""

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
    """The demands of a case on a GPU: its arrays, the memory for judging, the time of a perfect program.

    `complaint` says why a timed case can't be timed on this GPU. It is empty if the case can.
    """

    array_bytes: int
    needed_bytes: int
    least_us: float
    complaint: str = ""


def gpu_names() -> list[str]:
    """Return the names of the models with a known data sheet."""
    return list(MODELS)


def chosen_gpu(name: str) -> GpuModel:
    """Return the model called `name`, or the default model if the name is empty or unknown."""
    try:
        return find_gpu(name or DEFAULT_GPU)
    except ValueError:
        return MODELS[DEFAULT_GPU]


def demands(problem: Problem, gpu: GpuModel) -> dict[str, Demand]:
    """Return the demands of each case of `problem` on `gpu`, by the name of the case."""
    return {case.name: _demand(problem, case, gpu) for case in problem.cases}


def _demand(problem: Problem, case: Case, gpu: GpuModel) -> Demand:
    arrays = array_bytes(problem, case.sizes)
    least_us = floor_us(problem, case.sizes, gpu)
    if case.group is not Group.TIMED:
        return Demand(arrays, arrays, least_us)
    needed = needed_bytes(problem, case)
    complaint = ""
    if needed > gpu.memory_bytes:
        complaint = f"does not fit on {gpu.name}"
    elif least_us < MIN_TIMED_US:
        complaint = "too short to rank"
    return Demand(arrays, needed, least_us, complaint)
