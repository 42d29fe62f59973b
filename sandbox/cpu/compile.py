"""Compiles a CUDA submission for functional mode in a sandbox."""

import sys
from collections.abc import Sequence
from pathlib import Path

from sandbox.compiled import (
    COMPILE_LIMITS,
    MAX_ARTIFACT_BYTES,
    TOO_LARGE,
    Compiled,
    CompileOutcome,
    clean_log,
    exceeded,
)
from sandbox.cpu.build import HOME, Runtime
from sandbox.cpu.compile_inside import LAUNCHING
from sandbox.spec import Bind, Command, Completion, Image, Limits, Termination

ARTIFACT = "solution.so"
_REJECTED = 10  # sandbox.chains.REJECTED, as an exit status


def compile_command(
    source: bytes,
    binding: bytes,
    *,
    runtime: Runtime,
    limits: Limits = COMPILE_LIMITS,
    counters: Sequence[str] = (),
    libraries: Sequence[str] = (),
    device_launches: bool = False,
    label: str = "compile",
) -> Command:
    """Return the command that compiles `source` (solution.cu) and the `binding` (binding.cu) including it.

    `counters` are the names of `sandbox.cpu.counting` that the program is compiled to count. `libraries` are
    the libraries that the program may include and is linked with: `cublas` and `cufft`. With
    `device_launches`, kernels of the program may launch kernels.
    """
    python = Path(sys.executable).resolve()
    prefix = Path(sys.base_prefix)
    names = (",".join(counters), ",".join(libraries), LAUNCHING if device_launches else "")
    argv = (str(python), "-I", "-S", f"{HOME}/driver", *names)
    binds = list(runtime.toolkit.binds())
    if not any(prefix.is_relative_to(bind.source) for bind in binds):
        binds.append(Bind(prefix, str(prefix)))
    return Command(
        argv,
        limits,
        binds=(*binds, runtime.bind()),
        files={"solution.cu": source, "binding.cu": binding},
        environment={"LC_ALL": "C", "TMPDIR": "/work", "PATH": "/usr/bin:/bin"},
        collect={ARTIFACT: MAX_ARTIFACT_BYTES},
        label=label,
        image=Image.COMPILE,
    )


def read_completion(completion: Completion, runtime: Runtime) -> Compiled:
    """Return the result of a compilation from the end of its sandbox."""
    root = runtime.toolkit.root
    log = clean_log(completion.stdout + completion.stderr, (str(root), str(root.resolve())))
    artifact = completion.files.get(ARTIFACT)
    if completion.ending is not Termination.EXITED:
        outcome, log = CompileOutcome.EXCEEDED, f"{exceeded(completion.ending)}\n{log}"
    elif completion.status == 0 and artifact:
        outcome = CompileOutcome.BUILT
    elif completion.status == 0:
        outcome = CompileOutcome.EXCEEDED
        log = f"{TOO_LARGE}\n{log}"
    else:
        outcome = CompileOutcome.REJECTED if completion.status == _REJECTED else CompileOutcome.BROKEN
    built = outcome is CompileOutcome.BUILT
    return Compiled(outcome, artifact if built else None, log, completion.ending, completion.wall_s)
