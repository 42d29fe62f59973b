"""An import without sandboxes, only for our own sets: their code runs in this process.

The sandboxes run the same code. tests/integration tests that it runs isolated.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from judge.errors import OracleFailed
from judge.proof.importing import Workshop, import_set
from judge.sizes import scalar_of, shape_of
from problems.importing.described import Described, parse_description
from problems.importing.report import Imported
from problems.schema import Case, Problem
from problems.vocabulary import Role
from sandbox.runner.contract import ContractError, named, rounded, widened
from sandbox.runner.examine import describe
from sandbox.runner.generator import HostGenerator
from sandbox.runner.session import run_module
from sandbox.runner.torch_host import place_on_host
from sandbox.wire import WireArgument

_alone = RLock()
SETS = Path(__file__).parents[3] / "sets"


@contextmanager
def apart() -> Iterator[None]:
    """On exit, unload the modules that the files of a set import, as the end of a process would.

    One thread at a time.
    """
    with _alone:
        finders, modules = list(sys.meta_path), set(sys.modules)
        try:
            yield
        finally:
            texts = [finder for finder in sys.meta_path if finder not in finders]
            sys.meta_path[:] = finders
            for name in set(sys.modules) - modules:
                spec = getattr(sys.modules[name], "__spec__", None)
                if spec is None or spec.loader in texts:
                    del sys.modules[name]


class HereExaminer:
    """Examines in this process."""

    def examine(self, source: str) -> Described:
        with apart():
            return parse_description(json.dumps(describe(source)).encode())


class HereOracle:
    """Draws in this process, by the contract of the real oracle."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._module = run_module(compile(problem.reference, "reference.py", "exec"), "reference")

    def draw(self, case: Case, seed: int | None = None) -> Any:
        try:
            with np.errstate(all="ignore"):
                return self._drawn(case, seed or 0)
        except Exception as error:
            raise OracleFailed(f"{self._problem.slug}: generating case {case.name}: {error}") from error

    def _drawn(self, case: Case, seed: int) -> Mapping[str, np.ndarray]:
        arrays = [a for a in self._problem.arguments if a.role is not Role.SCALAR]
        wire = {a.name: WireArgument(a.dtype.value, False, shape=shape_of(a, case.sizes)) for a in arrays}
        given = {a.name: None for a in arrays if a.role in {Role.IN, Role.INOUT}}
        if case.inputs:
            drawn = {name: np.array(flat).reshape(wire[name].shape) for name, flat in case.inputs.items()}
            floats = {a.name for a in arrays if a.dtype.is_float}
            drawn = {n: values if n in floats else values.astype(np.int64) for n, values in drawn.items()}
        else:
            drawn = self._module.generate(np, HostGenerator(seed), dict(case.sizes))
        stored = {
            name: rounded(np, values, wire[name], name)
            for name, values in named(np, drawn, given, "generate").items()
        }
        arguments = {name: widened(values, wire[name].dtype) for name, values in stored.items()}
        scalars = {a.name: scalar_of(a, case) for a in self._problem.arguments if a.role is Role.SCALAR}
        wanted = {a.name: None for a in arrays if a.role in {Role.OUT, Role.INOUT}}
        computed = named(np, self._module.reference(np, **arguments, **scalars), wanted, "reference")
        for name, values in computed.items():
            if values.shape != wire[name].shape:
                raise ContractError(f"{name} has shape {values.shape}, not {wire[name].shape}")
        return {**{f"in {name}": values for name, values in stored.items()}, **computed}


@contextmanager
def here(problem: Problem) -> Iterator[HereOracle]:
    """An oracle in this process."""
    with apart(), place_on_host():
        yield HereOracle(problem)


def imported(format_name: str, folder: Path, *, scale: bool = False) -> dict[str, Imported]:
    """Every problem of a set, by its place."""
    workshop = Workshop(HereExaminer(), here, scale)
    return {found.entry.place: found for found in import_set(format_name, folder, workshop)}
