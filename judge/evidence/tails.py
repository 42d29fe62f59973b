"""Finds launches whose last blocks leave most of a GPU idle.

The blocks that a GPU can run at once are a wave. A launch of slightly more than one wave takes as long as two
waves. This matters if blocks are large, because few of them fit on a multiprocessor and each runs for long.
Many small blocks end at different times, so the GPU fills the gaps.
"""

from collections.abc import Iterable, Mapping
from math import ceil

from judge.compiler.source import ProgramText
from judge.evidence.launches import KernelLaunch, parse_launches, plain_name
from judge.evidence.occupancy import Occupancy, occupancy
from judge.report import Diagnostic, KernelResources
from problems.vocabulary import DiagnosticKind, Severity

Capability = tuple[int, int]
# A GPU model of each capability, and its number of multiprocessors. Source: NVIDIA's architecture white
# papers.
_GPUS: Mapping[Capability, tuple[str, int]] = {
    (7, 0): ("V100", 80),
    (7, 5): ("T4", 40),
    (8, 0): ("A100", 108),
    (9, 0): ("H100", 132),
    (10, 0): ("B200", 148),
}
_MOST_BLOCKS = 2  # on a multiprocessor
_MOST_BUSY = 0.75  # share of the slots of all waves that contain a block


def tail_notes(
    found: Iterable[Diagnostic], source: str, kernels: Iterable[KernelResources], capability: Capability
) -> tuple[Diagnostic, ...]:
    """Return notes on the CUDA launches that are recorded in `found`.

    `kernels` come from a compiler for GPUs. Without them, the records of functional mode give the number of
    registers. GPUs of a `capability` without a known model get no notes.
    """
    if capability not in _GPUS:
        return ()
    noted = [entry for entry in found if entry.kind == DiagnosticKind.LAUNCH]
    known = {plain_name(kernel.name): kernel for kernel in kernels}
    hidden = any(entry.hidden for entry in noted)
    largest: dict[str, KernelLaunch] = {}
    for launch in parse_launches(noted):
        name = plain_name(launch.kernel)
        if name not in largest or launch.blocks > largest[name].blocks:
            largest[name] = launch
    notes = []
    program = ProgramText.read(source) if largest else None
    for name, launch in largest.items():
        message = _message(launch, _occupancy(launch, known.get(name), capability), *_GPUS[capability])
        if message and program:
            line = program.launch_of(launch.kernel)
            notes.append(
                Diagnostic(
                    Severity.NOTE,
                    DiagnosticKind.TAIL,
                    message,
                    kernel=launch.kernel,
                    line=line,
                    hidden=hidden,
                )
            )
    return tuple(notes)


def _occupancy(
    launch: KernelLaunch, kernel: KernelResources | None, capability: Capability
) -> Occupancy | None:
    registers = kernel.registers if kernel else launch.registers
    if registers is None:
        return None
    static_bytes = kernel.shared_bytes if kernel else launch.static_bytes
    shared_bytes = static_bytes + launch.dynamic_bytes
    return occupancy(capability, registers=registers, shared_bytes=shared_bytes, threads=launch.threads)


def _message(launch: KernelLaunch, held: Occupancy | None, model: str, multiprocessors: int) -> str:
    """Return the text of the note, empty if the launch has no long tail."""
    if held is None or not 0 < held.blocks <= _MOST_BLOCKS:
        return ""
    places = held.blocks * multiprocessors
    waves = ceil(launch.blocks / places)
    if waves < 2 or launch.blocks > _MOST_BUSY * waves * places:
        return ""
    last = launch.blocks - (waves - 1) * places
    saved_percent = 100 - round(100 * launch.blocks / (waves * places))
    return (
        f"Kernel {launch.kernel} was launched with {launch.blocks} large blocks. A multiprocessor holds "
        f"{held.blocks} at a time, limited by {' and '.join(held.limited_by)}, so {places} run at once on a "
        f"GPU with {multiprocessors} multiprocessors ({model}). The last {last} run alone: {waves} waves "
        f"take the time of {waves * places} blocks. Without the tail, the launch could take up to "
        f"{saved_percent} % less time."
    )
