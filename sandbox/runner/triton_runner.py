"""Runs a Triton submission in Triton's interpreter, on CPU tensors over memory shared with the referee.

Theory of operation: see `session`. Imports come first, because they take seconds and a pool hides them; then
"ready"; then LOAD runs the submission's module, and each RUN calls its `solve` with one tensor per array
and a Python number per scalar, in the order of the signature.
"""

import math
import os
import sys
from collections.abc import Callable
from types import FrameType

os.environ["TRITON_INTERPRET"] = "1"  # triton reads it when it is imported

import numpy as np
import torch

from sandbox.runner.interpreter import CheckedMemory
from sandbox.runner.session import (
    Diagnostics,
    Load,
    array_of,
    compile_source,
    explain,
    line_of,
    run_module,
    scalar_of,
    serve,
    stop,
    time_limit,
)
from sandbox.wire import ExitStatus, Request, WireArgument

_FILE = "solution.py"
_DTYPES = {
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
_OUT_OF_MEMORY = "can't allocate memory"


def main() -> None:
    """Serve until the host goes."""
    memory = CheckedMemory.install(_FILE)
    torch.empty(1).add_(1)  # starts the thread pool now rather than in the first case
    serve(lambda load: _load(load, memory))


def _load(load: Load, memory: CheckedMemory) -> Callable[[Request, list[int]], None]:
    memory.diagnostics = load.diagnostics
    code = compile_source(load, _FILE)
    try:
        solve = getattr(run_module(code, "solution"), "solve", None)
    except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, SystemExit too
        message, line = explain(error, _FILE)
        load.diagnostics.say("error", "load", message, line=line)
        stop(ExitStatus.LOAD_ERROR)
    if not callable(solve):
        load.diagnostics.say("error", "load", "The file defines no function named solve.")
        stop(ExitStatus.LOAD_ERROR)
    return lambda request, descriptors: _run(solve, request, descriptors, load.diagnostics, memory)


def _run(
    solve: Callable[..., object],
    request: Request,
    descriptors: list[int],
    diagnostics: Diagnostics,
    memory: CheckedMemory,
) -> None:
    def late(frame: FrameType | None) -> None:
        diagnostics.say(
            "error",
            "time_limit",
            f"The limit of {request.time_limit_ms / 1000:g} s for one case was reached.",
            line=line_of(frame, _FILE),
        )
        stop(ExitStatus.TIME_LIMIT)

    arguments = [_value(argument, descriptors) for argument in request.arguments]
    launches = memory.launches
    try:
        with time_limit(request.time_limit_ms, late):
            solve(*arguments)
    except BaseException as error:  # noqa: BLE001 - foreign code may raise anything, SystemExit too
        _fail(error, diagnostics)
    if memory.launches == launches:
        diagnostics.say("note", "no_kernel", "solve returned without launching a Triton kernel.")


def _fail(error: BaseException, diagnostics: Diagnostics) -> None:
    message, line = explain(error, _FILE)
    out_of_memory = isinstance(error, MemoryError) or _OUT_OF_MEMORY in str(error)
    diagnostics.say("error", "memory" if out_of_memory else "exception", message, line=line)
    stop(ExitStatus.MEMORY_LIMIT if out_of_memory else ExitStatus.RUNTIME_ERROR)


def _value(argument: WireArgument, descriptors: list[int]) -> torch.Tensor | int | float | bool:
    if argument.scalar:
        return scalar_of(argument)
    dtype = _DTYPES[argument.dtype]
    if math.prod(argument.shape) == 0:
        return torch.empty(argument.shape, dtype=dtype)
    payload = array_of(argument, descriptors).reshape(-1).view(np.uint8)
    return torch.frombuffer(payload, dtype=dtype).reshape(argument.shape)


if __name__ == "__main__":
    main()
    sys.exit(0)
