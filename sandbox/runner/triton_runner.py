"""Runs a Triton submission in Triton's interpreter, on CPU tensors over memory shared with the referee.

Theory of operation: see `session`. Imports come first, because they take seconds, which a warm pool hides.
The garbage collector is disabled during the imports: it would take a fifth of their time and find almost
nothing. Then the runner reports "ready". LOAD runs the submission's module, and each RUN calls its `solve`
with one tensor per array and a Python number per scalar, in the order of the signature.
"""

# ruff: noqa: E402 - the collector is switched off before the imports that it slows down
import gc

gc.disable()

import ast
import os
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import FrameType

os.environ["TRITON_INTERPRET"] = "1"  # triton reads it when it is imported

import numpy as np
import torch
from triton.compiler.errors import CompilationError  # type: ignore[import-untyped]
from triton.runtime import interpreter  # type: ignore[import-untyped]
from triton.runtime.errors import OutOfResources  # type: ignore[import-untyped]

from sandbox.runner import gpu_semantics, triton_device, triton_logic
from sandbox.runner.interpreter import CheckedMemory
from sandbox.runner.python_call import Bound
from sandbox.runner.rounded_sums import RoundedSums
from sandbox.runner.session import Load, array_of, explain, line_of, serve, time_limit
from sandbox.runner.timed_session import serve_orders
from sandbox.runner.torch_host import place_on_host
from sandbox.runner.triton_errors import resources_text
from sandbox.runner.triton_frontend import Frontend
from sandbox.runner.triton_submission import DTYPES, FILE, TritonRunner
from sandbox.wire import ExitStatus, Request, RunFlag, WireArgument

_WAITING = ("atomic_", "volatile", "cache_modifier")
_OUT_OF_MEMORY = "can't allocate memory"


def may_wait(source: str) -> bool:
    """Return whether a program of a grid may wait for an earlier one: in a `while`, or in what it calls."""
    nodes = list(ast.walk(ast.parse(source)))
    bodies = {
        node.name: " ".join(map(ast.unparse, node.body))
        for node in nodes
        if isinstance(node, ast.FunctionDef)
    }
    words, count = {*_WAITING}, 0
    while len(words) != count:
        count = len(words)
        words |= {f"{name}(" for name, body in bodies.items() if _contains(body, words)}
    return any(_contains(ast.unparse(node), words) for node in nodes if isinstance(node, ast.While))


def _contains(text: str, words: Collection[str]) -> bool:
    return any(word in text for word in words)


class InterpreterRunner(TritonRunner):
    """Tensors over memfds, kernels in the interpreter.

    `device` is the number of the virtual device that the program has, and `devices` is how many there are.
    """

    device, devices = 0, 1

    def __init__(self) -> None:
        torch.empty(1).add_(1)  # starts the thread pool now instead of in the first case
        super().__init__("CPU")
        self._frontend = Frontend.install()
        self._masked = gpu_semantics.install(self._note)
        triton_device.install()
        triton_logic.install()
        self._memory = CheckedMemory.install(FILE)
        self._sums = RoundedSums(FILE, lambda: self._memory.kernel, gpu_semantics.doubles)
        self._sums.install(interpreter.InterpreterBuilder, interpreter.ReduceOps)
        self._placed = ExitStack()
        self._noted: set[str] = set()

    @property
    def launches(self) -> int:
        """The number of kernels launched up to now."""
        return self._memory.launches

    def load(self, load: Load) -> None:
        """Run the submission's module."""
        self._memory.diagnostics = load.diagnostics
        self._placed.enter_context(self._on_host())  # programs may name the device "cuda"
        super().load(load)

    def run(self, request: Request, descriptors: Sequence[int]) -> None:
        """Call `solve` once."""
        flags = request.flags
        self._masked.zeros = bool(flags & RunFlag.ZEROS)
        self._memory.descending = bool(flags & RunFlag.REVERSED) and not may_wait(self.source)
        self._memory.races.start_call(
            watched=bool(flags & RunFlag.RACES), stale=bool(flags & RunFlag.STALE_READS)
        )
        self._sums.start_call()
        super().run(request, descriptors)
        self._sums.report(self.diagnostics)

    def tensor(self, argument: WireArgument, descriptors: Sequence[int]) -> torch.Tensor:
        """A tensor over the memfd."""
        payload = array_of(argument, descriptors).reshape(-1).view(np.uint8)
        return torch.frombuffer(payload, dtype=DTYPES[argument.dtype]).reshape(argument.shape)

    def empty(self, argument: WireArgument) -> torch.Tensor:
        """A tensor without elements."""
        return torch.empty(argument.shape, dtype=DTYPES[argument.dtype])

    def serve(self, request: Request, descriptors: Sequence[int], calls: list[Bound]) -> None:
        """Serve in Python, because times do not rank here."""
        del request
        serve_orders(descriptors[0], calls)

    @contextmanager
    def plain_pytorch(self) -> Iterator[None]:
        """Have the name "cuda" mean a GPU, which this machine may not have."""
        self._placed.close()
        try:
            yield
        finally:
            self._placed.enter_context(self._on_host())

    def time_limit(
        self, limit_ms: int, on_limit: Callable[[FrameType | None], None]
    ) -> AbstractContextManager[None]:
        """Use a signal, because the interpreter only runs Python code."""
        return time_limit(limit_ms, on_limit)

    def _on_host(self) -> AbstractContextManager[None]:
        return place_on_host(device=self.device, devices=self.devices)

    def _note(self, kind: str, message: str) -> None:
        """Report, once per program, how a GPU differs from the program's assumptions."""
        if kind in self._noted or not self.loaded:
            return
        self._noted.add(kind)
        self.diagnostics.say("note", kind, message, line=line_of(sys._getframe(), FILE))  # noqa: SLF001 - documented

    def finding_of(self, error: BaseException) -> tuple[ExitStatus, str, str, int | None]:
        """Out of memory, or an exception like any other."""
        message, line = explain(error, FILE)
        if isinstance(error, MemoryError) or _OUT_OF_MEMORY in str(error):
            return ExitStatus.MEMORY_LIMIT, "memory", message, line
        if isinstance(error, OutOfResources):
            sentence = resources_text(self._frontend.kernel, error, "an H200")
            return ExitStatus.RUNTIME_ERROR, "resources", sentence, line
        if isinstance(error, CompilationError):
            return ExitStatus.RUNTIME_ERROR, "compile", *self.compile_error(error, line)
        return ExitStatus.RUNTIME_ERROR, "exception", message, line


def main() -> None:
    """Serve until the host closes the channel."""
    gc.freeze()  # imported objects are permanent
    gc.enable()
    serve(InterpreterRunner())


if __name__ == "__main__":
    main()
    sys.exit(0)
