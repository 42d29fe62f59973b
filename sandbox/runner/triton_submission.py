"""Shared code of the Triton runners: a submission's module, calls of its `solve`, timed sessions.

The runners for the interpreter and for GPUs derive from `TritonRunner`. They define the memory of tensors,
the detection of hung calls, and the meaning of errors. Both also run Python programs with PyTorch. The
manifest then describes the call, see `python_call`.
"""

import functools
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from types import FrameType, ModuleType
from typing import Any, NoReturn, cast

import torch

from sandbox.runner import triton_indices
from sandbox.runner.operators import ComputingOperators
from sandbox.runner.python_backward import Misfit
from sandbox.runner.python_call import Bound, PythonCall, Value, offer_types
from sandbox.runner.python_counts import PythonCounts
from sandbox.runner.python_operators import namespaces
from sandbox.runner.session import (
    Diagnostics,
    Load,
    Runner,
    compile_source,
    explain,
    line_of,
    run_module,
    scalar_of,
    stop,
)
from sandbox.runner.timed_session import bind_sets
from sandbox.wire import ExitStatus, Request, RunFlag, WireArgument

FILE = "solution.py"
DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "int64": torch.int64,
    "int32": torch.int32,
    "int8": torch.int8,
    "uint32": torch.uint32,
    "uint8": torch.uint8,
    "bool": torch.bool,
}


class TritonRunner(Runner):
    """Runs one submission. Abstract: see the methods that raise NotImplementedError."""

    flag_descriptors = 0  # of TIME, between the page and the arrays

    def __init__(self, backend: str) -> None:
        """`backend` is what PyTorch calls the place of the tensors: CPU or CUDA."""
        self._load: Load | None = None
        self._bind_call: Callable[[Sequence[Value]], Bound] | None = None
        self._python: PythonCall | None = None
        self._known: frozenset[str] = frozenset()  # namespaces of operators, before the program was loaded
        self._operators = ComputingOperators.refuse(backend, self._refuse)
        triton_indices.install()

    @property
    def launches(self) -> int:
        """The number of Triton kernels launched up to now."""
        raise NotImplementedError

    def tensor(self, argument: WireArgument, descriptors: Sequence[int]) -> torch.Tensor:
        """An array argument that is not empty, as a tensor over the memory of its descriptor."""
        raise NotImplementedError

    def empty(self, argument: WireArgument) -> torch.Tensor:
        """An array argument without elements."""
        raise NotImplementedError

    def time_limit(
        self, limit_ms: int, on_limit: Callable[[FrameType | None], None]
    ) -> AbstractContextManager[None]:
        """A context in which `on_limit` is called with the running frame after `limit_ms`."""
        raise NotImplementedError

    def finding_of(self, error: BaseException) -> tuple[ExitStatus, str, str, int | None]:
        """Status, kind, sentence and line for what `solve` raised."""
        raise NotImplementedError

    def where(self) -> str:
        """Return a text on what is running, for a call that takes too long; may be empty."""
        return ""

    def plain_pytorch(self) -> AbstractContextManager[None]:
        """Return a context in which PyTorch works as without this runner."""
        return nullcontext()

    def finish(self) -> None:
        """Wait for the device."""

    def serve(self, request: Request, descriptors: Sequence[int], calls: list[Bound]) -> None:
        """Carry out the orders of a timed session with one call for each set. Raises any error of a call."""
        raise NotImplementedError

    def release(self) -> None:
        """Release the memory of tensors."""

    def leave(self, status: ExitStatus) -> NoReturn:
        """End this process after an error."""
        stop(status)

    @property
    def diagnostics(self) -> Diagnostics:
        """The sink for findings; available after LOAD."""
        if self._load is None:
            raise ValueError("nothing is loaded")
        return self._load.diagnostics

    @property
    def source(self) -> str:
        """The submission's text."""
        return self._load.source if self._load else ""

    @property
    def in_python(self) -> bool:
        """Whether the program is in Python with PyTorch rather than in Triton."""
        return self._load is not None and "python" in self._load.manifest

    @property
    def loaded(self) -> bool:
        """Whether there is a program to call."""
        return self._bind_call is not None

    def load(self, load: Load) -> None:
        """Run the submission's module."""
        self._load = load
        code = compile_source(load, FILE)
        if self.in_python:
            self._operators.restore()
            self._known = namespaces()
            offer_types(cast("Mapping[str, Any]", load.manifest["python"]))
        else:
            self._operators.keep()
        try:
            program = run_module(code, "solution")
            if self.in_python:
                self._python = PythonCall.of(load.manifest, program)
                self._bind_call = self._python.bound
                if namespaces() - self._known:
                    # The first call of a custom operator would import this, in seconds of its own time limit.
                    importlib.import_module("torch._dynamo")
            else:
                self._bind_call = _plainly(_solve_of(program))
        except Misfit as error:
            load.diagnostics.say("error", "load", str(error))
            stop(ExitStatus.LOAD_ERROR)
        except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, SystemExit too
            message, line = explain(error, FILE)
            load.diagnostics.say("error", "load", message, line=line)
            stop(ExitStatus.LOAD_ERROR)

    def run(self, request: Request, descriptors: Sequence[int]) -> None:
        """Call `solve` once."""
        arguments = self._bind(request, descriptors)
        launches = self.launches

        def late(frame: FrameType | None) -> None:
            limit = f"The limit of {request.time_limit_ms / 1000:g} s for one case was reached"
            self.diagnostics.say("error", "time_limit", f"{limit}{self.where()}.", line=line_of(frame, FILE))
            self.leave(ExitStatus.TIME_LIMIT)

        counts = self._counts() if request.flags & RunFlag.SUMS else None
        with self.time_limit(request.time_limit_ms, late):
            call = self._bound(arguments)
            with counts.recording() if counts else nullcontext():
                self._call(call)
            self._finish()
        del call, arguments
        if counts:
            with self.plain_pytorch():
                counts.report(self.diagnostics)
        self.release()
        if self.launches == launches and not self.in_python:
            self.diagnostics.say("note", "no_kernel", "solve returned without launching a Triton kernel.")

    def time(self, request: Request, descriptors: Sequence[int]) -> None:
        """Carry out a timed session."""
        arrays = descriptors[1 + self.flag_descriptors :]
        calls = [self._bound(arguments) for arguments in bind_sets(request, arrays, self._binding(request))]
        try:
            self.serve(request, descriptors, calls)
        except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, SystemExit too
            self._fail(error)
        self._finish()
        self.release()

    def _counts(self) -> PythonCounts | None:
        if self._python is None or self._load is None:
            return None
        counters = cast("Sequence[str]", self._load.manifest.get("counters", ()))
        return PythonCounts(self._python, counters, self._known, FILE)

    def _binding(self, request: Request) -> Callable[[Sequence[int]], list[Value]]:
        return lambda own: self._bind(request, own)

    def _bind(self, request: Request, descriptors: Sequence[int]) -> list[Value]:
        return [self._value(argument, descriptors) for argument in request.arguments]

    def _value(self, argument: WireArgument, descriptors: Sequence[int]) -> Value:
        if argument.scalar:
            return scalar_of(argument)
        return self.tensor(argument, descriptors) if argument.bytes else self.empty(argument)

    def _bound(self, arguments: Sequence[Value]) -> Bound:
        """The call of these arguments. For a module, foreign code runs to make it."""
        if self._bind_call is None:
            raise ValueError("nothing is loaded")
        try:
            return self._bind_call(arguments)
        except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, SystemExit too
            self._fail(error)

    def _call(self, call: Bound) -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, SystemExit too
            self._fail(error)

    def _finish(self) -> None:
        try:
            self.finish()
        except Exception as error:  # noqa: BLE001 - what the device says of the submission
            self._fail(error)

    def _refuse(self, message: str) -> NoReturn:
        """End, whatever the program would make of an exception."""
        line = line_of(sys._getframe(), FILE)  # noqa: SLF001 - documented, despite its name
        self.diagnostics.say("error", "pytorch", message, line=line)
        self.leave(ExitStatus.REFUSED)

    def _fail(self, error: BaseException) -> NoReturn:
        if isinstance(error, Misfit):
            status, kind, message, line = ExitStatus.RUNTIME_ERROR, "call", str(error), None
        else:
            status, kind, message, line = self.finding_of(error)
        self.diagnostics.say("error", kind, message, line=line)
        self.leave(status)


def _solve_of(program: ModuleType) -> Callable[..., object]:
    solve = getattr(program, "solve", None)
    if not callable(solve):
        raise Misfit("The file does not define a function named solve.")
    return cast("Callable[..., object]", solve)


def _plainly(solve: Callable[..., object]) -> Callable[[Sequence[Value]], Bound]:
    return lambda arguments: functools.partial(solve, *arguments)
