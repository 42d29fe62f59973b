"""Counts each program of `benchmarks.counters_against_ncu` in functional mode, for one call."""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.counted_programs import CountedProgram, GivenArgument
from benchmarks.functional_against_gpu import draw
from judge.cases import ORDERS
from judge.dtypes import narrow
from judge.evidence.diagnostics import parse_diagnostics
from judge.evidence.sums import Event, Sums, parse_sums
from judge.sizes import scalar_of
from problems.binding import binding_cuda
from problems.loader import load_problem, problems_root
from problems.schema import Argument, Case, Problem
from problems.vocabulary import Counter, DiagnosticKind, Role, Severity
from sandbox.cpu.counting import INSTRUCTIONS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner

_FLAGS = ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS
_EVENTS = (
    Counter.ASYNC_COPY_INSTRUCTIONS,
    Counter.LDMATRIX_INSTRUCTIONS,
    Counter.FMA_INSTRUCTIONS,
    Counter.DOUBLE_INSTRUCTIONS,
    Counter.TENSOR_INSTRUCTIONS,
    Counter.TEXTURE_INSTRUCTIONS,
)


class NotComparable(Exception):
    """Raised when a call cannot be compared. The text says why."""


def count_programs(names: list[str], *, jobs: int) -> Iterator[CountedProgram | str]:
    """Count each program in `names`, such as `relu/plain.cu prime`.

    Yield an error message for a program that can't be counted.
    """
    with ThreadPoolExecutor(jobs) as threads:
        yield from threads.map(_counted, names)


def _counted(name: str) -> CountedProgram | str:
    try:
        return count_program(name)
    except NotComparable as error:
        return f"{name}: {error}"


def count_program(name: str) -> CountedProgram:
    """Run a program of the repository on a case in functional mode and count.

    Raises:
        NotComparable: the program failed, has several kernels, or did work that functional mode does not
            count.
    """
    file, _, case_name = name.partition(" ")
    slug, _, solution = file.partition("/")
    problem = load_problem(problems_root() / slug)
    case = next((case for case in problem.cases if case.name == case_name), None)
    if case is None:
        raise NotComparable(f"the problem has no case {case_name}")
    source = (problems_root() / slug / "solutions" / solution).read_text(encoding="utf-8")
    values = _values(problem, case)
    with closing(Runner(source, tuple(sorted(INSTRUCTIONS)))) as runner:
        outcome = runner.call(*(_host(*entry) for entry in values), flags=_FLAGS)
    kernel, sums = _read(outcome)
    return CountedProgram(
        name=name,
        kernel=kernel,
        source=source,
        binding=binding_cuda(problem),
        arguments=tuple(_given(*entry) for entry in values),
        counts=counts_of(sums),
    )


def counts_of(sums: Sums) -> Mapping[str, float]:
    """Return the sums by their names in `benchmarks.counters_against_ncu.COUNTERS`."""
    if sums.shapes is None:
        raise NotComparable("its launches have too many different shapes")
    events = {event.value: sums.events.get(event, Event()).amount for event in _EVENTS}
    return {
        "launches": sums.launches,
        "global_load_requests": sums.global_load.requests,
        "global_load_sectors": sums.global_load.units,
        "global_store_requests": sums.global_store.requests,
        "global_store_sectors": sums.global_store.units,
        "shared_requests": sums.shared.requests,
        "shared_wavefronts": sums.shared.units,
        "bank_conflicts": sums.shared.units - sums.shared.fewest,
        "atomic_requests": sums.atomic.requests,
        "shared_bytes_per_block": max((shape.shared_bytes for shape in sums.shapes), default=0),
        "divergent_branches": sums.branch.units,
        **events,
    }


def _read(outcome: Outcome) -> tuple[str, Sums]:
    notes = parse_diagnostics("\n".join(map(json.dumps, outcome.diagnostics)).encode())
    wrong = [note.message for note in notes if note.severity is not Severity.NOTE]
    if outcome.status is not None or wrong:
        raise NotComparable(f"functional mode ended it: {' '.join(wrong) or outcome.output}")
    kernels = {note.kernel or "" for note in notes if note.kind == DiagnosticKind.COUNTS}
    if len(kernels) != 1:
        raise NotComparable(f"it has {len(kernels)} kernels that access memory, not one")
    (sums,) = parse_sums(notes)
    if not sums.complete:
        raise NotComparable("it does more than functional mode counts")
    return kernels.pop(), sums


def _values(problem: Problem, case: Case) -> list[tuple[Argument, Any]]:
    """Return each argument with its array or number."""
    module = ModuleType("reference")
    exec(problem.reference, module.__dict__)
    hosts = draw(problem, case, module)
    return [
        (argument, scalar_of(argument, case) if argument.role is Role.SCALAR else hosts[argument.name])
        for argument in problem.arguments
    ]


def _host(argument: Argument, value: Any) -> Any:
    return value if argument.role is Role.SCALAR else np.ascontiguousarray(value)


def _given(argument: Argument, value: Any) -> GivenArgument:
    if argument.role is Role.SCALAR:
        return GivenArgument(array=False, data=narrow(np.array([value]), argument.dtype).tobytes())
    return GivenArgument(array=True, data=np.ascontiguousarray(value).tobytes())
