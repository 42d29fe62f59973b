"""What the Triton runners share: a submission's module, calls of its `solve`, timed sessions.

The interpreter's runner and the GPU's derive from `TritonRunner` and say where tensors live, how a hanging
call is noticed, and what an error means.
"""

import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import FrameType
from typing import NoReturn

import torch

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
from sandbox.runner.timed_session import bind_sets, serve_orders
from sandbox.wire import ExitStatus, Request, WireArgument

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
Value = torch.Tensor | int | float | bool


class TritonRunner(Runner):
    """Runs one submission. Abstract: see the methods that raise NotImplementedError."""

    def __init__(self) -> None:
        self._load: Load | None = None
        self._solve: Callable[..., object] | None = None

    @property
    def launches(self) -> int:
        """How many Triton kernels were launched so far."""
        raise NotImplementedError

    def tensor(self, argument: WireArgument, descriptors: Sequence[int]) -> torch.Tensor:
        """An array argument that is not empty, as a tensor over the memory of its descriptor."""
        raise NotImplementedError

    def empty(self, argument: WireArgument) -> torch.Tensor:
        """An array argument without elements."""
        raise NotImplementedError

    def null(self) -> None:
        """A call of nothing, launched as a submission would."""
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
        """Words on what is running, for a call that takes too long; may be empty."""
        return ""

    def begin(self) -> None:
        """Comes before the calls of a timed order."""

    def finish(self) -> int:
        """Wait for the device. Returns nanoseconds by its own events since `begin`, 0 without events."""
        return 0

    def release(self) -> None:
        """Let go of the memory behind tensors."""

    def leave(self, status: ExitStatus) -> NoReturn:
        """End this process after something went wrong."""
        stop(status)

    @property
    def diagnostics(self) -> Diagnostics:
        """Where findings go; there since LOAD."""
        if self._load is None:
            raise ValueError("nothing is loaded")
        return self._load.diagnostics

    @property
    def source(self) -> str:
        """The submission's text."""
        return self._load.source if self._load else ""

    def load(self, load: Load) -> None:
        """Run the submission's module."""
        self._load = load
        code = compile_source(load, FILE)
        try:
            solve = getattr(run_module(code, "solution"), "solve", None)
        except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, SystemExit too
            message, line = explain(error, FILE)
            load.diagnostics.say("error", "load", message, line=line)
            stop(ExitStatus.LOAD_ERROR)
        if not callable(solve):
            load.diagnostics.say("error", "load", "The file defines no function named solve.")
            stop(ExitStatus.LOAD_ERROR)
        self._solve = solve

    def run(self, request: Request, descriptors: Sequence[int]) -> None:
        """Call `solve` once."""
        arguments = self._bind(request, descriptors)
        launches = self.launches

        def late(frame: FrameType | None) -> None:
            limit = f"The limit of {request.time_limit_ms / 1000:g} s for one case was reached"
            self.diagnostics.say("error", "time_limit", f"{limit}{self.where()}.", line=line_of(frame, FILE))
            self.leave(ExitStatus.TIME_LIMIT)

        with self.time_limit(request.time_limit_ms, late):
            self._call(arguments)
            self._finish()
        del arguments
        self.release()
        if self.launches == launches:
            self.diagnostics.say("note", "no_kernel", "solve returned without launching a Triton kernel.")

    def time(self, request: Request, descriptors: Sequence[int]) -> None:
        """Carry out a timed session."""
        sets = bind_sets(request, descriptors, lambda own: self._bind(request, own))
        if self._solve is None:
            calls: list[Callable[[], object]] = [self.null for _ in sets]
        else:
            calls = [functools.partial(self._call, arguments) for arguments in sets]
        serve_orders(descriptors[0], calls, begin=self.begin, finish=self._finish)
        del calls, sets
        self.release()

    def _bind(self, request: Request, descriptors: Sequence[int]) -> list[Value]:
        return [self._value(argument, descriptors) for argument in request.arguments]

    def _value(self, argument: WireArgument, descriptors: Sequence[int]) -> Value:
        if argument.scalar:
            return scalar_of(argument)
        return self.tensor(argument, descriptors) if argument.bytes else self.empty(argument)

    def _call(self, arguments: Sequence[Value]) -> None:
        solve = self._solve
        if solve is None:
            raise ValueError("nothing is loaded")
        try:
            solve(*arguments)
        except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, SystemExit too
            self._fail(error)

    def _finish(self) -> int:
        try:
            return self.finish()
        except Exception as error:  # noqa: BLE001 - what the device says of the submission
            self._fail(error)

    def _fail(self, error: BaseException) -> NoReturn:
        status, kind, message, line = self.finding_of(error)
        self.diagnostics.say("error", kind, message, line=line)
        self.leave(status)
