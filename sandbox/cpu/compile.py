"""Compiles a CUDA submission for functional mode, isolated."""

import re
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sandbox.backend import Backend
from sandbox.cpu.build import HOME, Runtime
from sandbox.spec import Bind, Command, Completion, Ending, Limits

ARTIFACT = "solution.so"
MAX_ARTIFACT_BYTES = 64 << 20
MAX_LOG_BYTES = 64 << 10
COMPILE_LIMITS = Limits(wall_s=60, cpu_s=90, memory_mib=3072, processes=64, file_mib=256, tmpfs_mib=512)
_REJECTED = 10  # exit status of compile_inside.py
_NO_SOLVE = re.compile(r'(identifier|no member) "solve"')


class Outcome(StrEnum):
    """How compiling ended."""

    BUILT = "built"
    REJECTED = "rejected"  # the compiler refused the source
    EXCEEDED = "exceeded"  # a limit was reached
    BROKEN = "broken"  # our fault


@dataclass(frozen=True, slots=True)
class Compiled:
    """The shared object and the compiler's words, with paths as the author knows them."""

    outcome: Outcome
    artifact: bytes | None
    log: str
    ending: Ending
    wall_s: float


def compile_command(
    source: bytes,
    binding: bytes,
    *,
    runtime: Runtime,
    limits: Limits = COMPILE_LIMITS,
    label: str = "compile",
) -> Command:
    """The compile sandbox for `source` (solution.cu) and the `binding` (binding.cu) that includes it."""
    python = Path(sys.executable).resolve()
    prefix = Path(sys.base_prefix)
    argv = (str(python), "-I", "-S", f"{HOME}/compile_inside.py")
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
    )


def compile_cuda(
    source: bytes,
    binding: bytes,
    *,
    runtime: Runtime,
    backend: Backend,
    limits: Limits = COMPILE_LIMITS,
    label: str = "compile",
) -> Compiled:
    """Compile isolated by `backend`. Raises IsolationUnavailable."""
    command = compile_command(source, binding, runtime=runtime, limits=limits, label=label)
    process = backend.start(command)
    try:
        completion = process.wait()
    finally:
        process.close()
    return read_completion(completion, runtime)


def read_completion(completion: Completion, runtime: Runtime) -> Compiled:
    """What the end of the compile sandbox means."""
    log = clean_log(completion.stdout + completion.stderr, runtime)
    artifact = completion.files.get(ARTIFACT)
    if completion.ending is not Ending.EXITED:
        outcome, log = Outcome.EXCEEDED, f"{_exceeded(completion.ending)}\n{log}"
    elif completion.status == 0 and artifact:
        outcome = Outcome.BUILT
    elif completion.status == 0:
        outcome = Outcome.EXCEEDED
        log = f"The program is larger than {MAX_ARTIFACT_BYTES >> 20} MiB once compiled.\n{log}"
    else:
        outcome = Outcome.REJECTED if completion.status == _REJECTED else Outcome.BROKEN
    built = outcome is Outcome.BUILT
    return Compiled(outcome, artifact if built else None, log, completion.ending, completion.wall_s)


def clean_log(raw: bytes, runtime: Runtime) -> str:
    """The compilers' words, bounded, with the paths that the author knows."""
    text = raw[:MAX_LOG_BYTES].decode("utf-8", "replace").replace("/work/", "")
    for root in {str(runtime.toolkit.root), str(runtime.toolkit.root.resolve())}:
        text = text.replace(f"{root}/bin/../", "cuda/").replace(root, "cuda")
    if _NO_SOLVE.search(text):
        text = f"The program must define solve with the signature of the problem.\n\n{text}"
    if len(raw) > MAX_LOG_BYTES:
        text += "\n… (log cut)\n"
    return text


def _exceeded(ending: Ending) -> str:
    reasons = {
        Ending.WALL_TIME: "Compiling took too long.",
        Ending.CPU_TIME: "Compiling took too much processor time.",
        Ending.MEMORY: "Compiling needed too much memory.",
        Ending.OUTPUT: "The compiler wrote too many messages.",
    }
    return reasons.get(ending, "The compiler was ended from outside.")
