"""Finds kernels with spilled registers in the output of a compiler for GPUs.

Functional mode records spills itself, because its engine runs ptxas.
"""

from collections.abc import Iterable

from judge.compiler.source import ProgramText
from judge.evidence.launches import parse_launches, plain_name
from judge.report import Diagnostic, KernelResources
from problems.vocabulary import DiagnosticKind, Severity
from sandbox.ptxas import LEAST_SPILLED_BYTES


def spill_notes(
    found: Iterable[Diagnostic], source: str, kernels: Iterable[KernelResources]
) -> tuple[Diagnostic, ...]:
    """Return a note for each of `kernels` that spills many registers and that `found` shows as launched."""
    noted = [entry for entry in found if entry.kind == DiagnosticKind.LAUNCH]
    launched = {plain_name(launch.kernel): launch.kernel for launch in parse_launches(noted)}
    spilling = [
        kernel
        for kernel in kernels
        if plain_name(kernel.name) in launched and _spilled_bytes(kernel) >= LEAST_SPILLED_BYTES
    ]
    if not spilling:
        return ()
    program = ProgramText.read(source)
    return tuple(_note(kernel, launched[plain_name(kernel.name)], program) for kernel in spilling)


def _note(kernel: KernelResources, name: str, program: ProgramText) -> Diagnostic:
    return Diagnostic(
        Severity.NOTE,
        DiagnosticKind.SPILLS,
        f"Kernel {name} has {kernel.registers} registers per thread, and that is too few: each thread spills "
        f"{_spilled_bytes(kernel)} bytes to local memory and back, if each spill is executed once. Local "
        "memory is as slow as global memory.",
        kernel=name,
        line=program.launch_of(name),
    )


def _spilled_bytes(kernel: KernelResources) -> int:
    return kernel.spill_store_bytes + kernel.spill_load_bytes
