"""Finds launches that leave much of a GPU idle: blocks with partial warps, programs with single blocks."""

from collections.abc import Iterable, Sequence
from math import ceil

from judge.compiler.source import ProgramText
from judge.evidence.launches import KernelLaunch, parse_launches
from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind, Severity

WARP = 32
# A kernel is reported if a quarter of its lanes are idle and it has at least this many blocks.
_LEAST_BLOCKS = 64
_MOST_BUSY = 0.75
# A program that launches only single blocks is reported if a case has enough input for several blocks.
LEAST_INPUT_BYTES = 16 * 1024


def shape_notes(found: Iterable[Diagnostic], source: str, input_bytes: int) -> tuple[Diagnostic, ...]:
    """Return notes on the CUDA launches that are recorded in `found`.

    `input_bytes` is the number of input bytes of the largest case.
    """
    noted = [entry for entry in found if entry.kind == DiagnosticKind.LAUNCH]
    launches = parse_launches(noted)
    if not launches:
        return ()
    hidden = any(entry.hidden for entry in noted)
    program = ProgramText.read(source)
    kernels = {launch.kernel: launch for launch in launches if _has_partial_warps(launch)}
    notes = [_note(launch, _partial_warps(launch), program, hidden) for launch in kernels.values()]
    if not notes and _single_blocks(launches, input_bytes):
        notes = [_note(launches[0], _single(launches[0], input_bytes), program, hidden)]
    return tuple(notes)


def _has_partial_warps(launch: KernelLaunch) -> bool:
    return launch.blocks >= _LEAST_BLOCKS and launch.threads <= _MOST_BUSY * _lanes(launch)


def _single_blocks(launches: Sequence[KernelLaunch], input_bytes: int) -> bool:
    return input_bytes >= LEAST_INPUT_BYTES and all(launch.blocks == 1 for launch in launches)


def _lanes(launch: KernelLaunch) -> int:
    return WARP * ceil(launch.threads / WARP)


def _partial_warps(launch: KernelLaunch) -> str:
    threads, lanes = launch.threads, _lanes(launch)
    each = f"{threads} {'thread' if threads == 1 else 'threads'} in each of {launch.blocks} blocks"
    return (
        f"Kernel {launch.kernel} was launched with {each}. Blocks consist of whole warps, so "
        f"{lanes - threads} of {lanes} lanes are idle. Let the number of threads be a multiple of 32, such "
        "as 256."
    )


def _single(launch: KernelLaunch, input_bytes: int) -> str:
    return (
        f"Each launch has one block, {launch.kernel} for example, although the largest case has "
        f"{input_bytes} bytes of input. A block runs on one multiprocessor, and large GPUs have more "
        "than a hundred of them. Share the work among many blocks."
    )


def _note(launch: KernelLaunch, message: str, program: ProgramText, hidden: bool) -> Diagnostic:
    return Diagnostic(
        Severity.NOTE,
        DiagnosticKind.LOW_OCCUPANCY,
        message,
        kernel=launch.kernel,
        line=program.launch_of(launch.kernel),
        hidden=hidden,
    )
