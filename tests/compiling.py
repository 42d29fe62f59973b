"""Compiles CUDA for functional mode in one call.

The judge starts a compilation and reads its result later.
"""

from collections.abc import Sequence

from sandbox.backend import Backend
from sandbox.compiled import COMPILE_LIMITS, Compiled
from sandbox.cpu.build import Runtime
from sandbox.cpu.compile import compile_command, read_completion
from sandbox.spec import Limits


def compile_cuda(
    source: bytes,
    binding: bytes,
    *,
    runtime: Runtime,
    backend: Backend,
    limits: Limits = COMPILE_LIMITS,
    counters: Sequence[str] = (),
    libraries: Sequence[str] = (),
    device_launches: bool = False,
) -> Compiled:
    """Compile isolated by `backend`. Raises IsolationUnavailable."""
    command = compile_command(
        source,
        binding,
        runtime=runtime,
        limits=limits,
        counters=counters,
        libraries=libraries,
        device_launches=device_launches,
    )
    process = backend.start(command)
    try:
        completion = process.wait()
    finally:
        process.close()
    return read_completion(completion, runtime)
