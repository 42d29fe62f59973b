"""The memory layout of a drawn set. The oracle writes the set and the referee reads it.

Theory of operation. Inputs and expected outputs of a case share one allocation: a memfd on a host, device
memory on a GPU. Processes pass its descriptor to each other. Both sides compute the layout from the problem,
so no offset is ever transmitted.
"""

import fcntl
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass

from judge.dtypes import expected_dtype
from judge.sizes import bytes_of, shape_of
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Role

_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL  # shrinking would kill readers
ALIGNMENT_BYTES = 256  # guaranteed by cudaMalloc, so that kernels may use vector loads


@dataclass(frozen=True, slots=True)
class ArrayPart:
    """One array in a drawn set: `size_bytes` at `offset`."""

    name: str
    offset: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class CaseData:
    """A drawn set of `case`: `parts` in the first `size_bytes` of the memory behind `descriptor`.

    The name of a part is the name of an input, or `expected-NAME` for the expected values of the output NAME.
    The creator of the set owns the descriptor and must call `close`.
    """

    case: Case
    parts: tuple[ArrayPart, ...]
    size_bytes: int
    descriptor: int

    def close(self) -> None:
        """Close the descriptor. The memory exists until every process has closed it."""
        os.close(self.descriptor)


def expected_name(argument: Argument) -> str:
    """Return the name of the part with the expected values of `argument`."""
    return f"expected-{argument.name}"


def outputs(problem: Problem) -> list[Argument]:
    """Return the arguments that are checked, in order."""
    return [argument for argument in problem.arguments if argument.role in {Role.OUT, Role.INOUT}]


def reads_nothing(problem: Problem) -> bool:
    """Return whether programs get only sizes, so that only these distinguish one case from another."""
    return not inputs(problem) and not any(argument.drawn for argument in problem.arguments)


def inputs(problem: Problem) -> list[Argument]:
    """Return the arguments with contents, in order."""
    return [argument for argument in problem.arguments if argument.role in {Role.IN, Role.INOUT}]


def layout(problem: Problem, case: Case) -> tuple[tuple[ArrayPart, ...], int]:
    """Return the parts of a set of `case`, and its size in bytes.

    The inputs come first, in the order of the signature. The expected values of each output follow: float64
    for floats, else the output's own dtype. Every part starts at a multiple of ALIGNMENT_BYTES.
    """
    parts: list[ArrayPart] = []
    end = 0
    for name, size_bytes in _sizes(problem, case):
        start = -(-end // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
        parts.append(ArrayPart(name, start, size_bytes))
        end = start + size_bytes
    return tuple(parts), end


def allocate(problem: Problem, case: Case) -> CaseData:
    """Return an empty set of `case` in host memory. The caller must close it."""
    parts, size_bytes = layout(problem, case)
    return CaseData(case, parts, size_bytes, new_memory(size_bytes))


def new_memory(size_bytes: int) -> int:
    """Return the descriptor of new, zeroed, anonymous host memory."""
    descriptor = os.memfd_create("warpcourt-set", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, max(1, size_bytes))
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    return descriptor


def _sizes(problem: Problem, case: Case) -> Iterator[tuple[str, int]]:
    for argument in inputs(problem):
        yield argument.name, bytes_of(argument, case.sizes)
    for argument in outputs(problem):
        count = math.prod(shape_of(argument, case.sizes))
        yield expected_name(argument), count * expected_dtype(argument.dtype).itemsize
