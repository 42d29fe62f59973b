"""The result of compiling a CUDA submission, for any target."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sandbox.spec import Limits, Termination

MAX_ARTIFACT_BYTES = 64 << 20
MAX_LOG_BYTES = 64 << 10
COMPILE_LIMITS = Limits(wall_s=60, cpu_s=90, memory_mib=3072, processes=64, file_mib=256, tmpfs_mib=512)
TOO_LARGE = f"The compiled program is larger than {MAX_ARTIFACT_BYTES >> 20} MiB."
# Terminals interpret these characters. Line breaks and tabs are kept.
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)))


class CompileOutcome(StrEnum):
    """The outcome of a compilation."""

    BUILT = "built"
    REJECTED = "rejected"  # the compiler rejected the source
    EXCEEDED = "exceeded"  # a limit was reached
    BROKEN = "broken"  # the judge is at fault


@dataclass(frozen=True, slots=True)
class Compiled:
    """The shared object and the compiler's output, with paths as the author knows them."""

    outcome: CompileOutcome
    artifact: bytes | None
    log: str
    ending: Termination
    wall_s: float


def clean_log(raw: bytes, roots: Iterable[str]) -> str:
    """Return the compilers' output, bounded, with paths as the author knows them. `roots` are toolkit paths.

    The output quotes the source, so control characters are removed.
    """
    text = clean_paths(raw[:MAX_LOG_BYTES].decode("utf-8", "replace").translate(_CONTROLS), roots)
    if len(raw) > MAX_LOG_BYTES:
        text += "\n… (log cut)\n"
    return text


def clean_paths(text: str, roots: Iterable[str]) -> str:
    """Return `text` with paths as the author knows them."""
    text = text.replace("/work/", "")
    for root in sorted(set(roots), key=len, reverse=True):
        text = text.replace(f"{root}/bin/../", "cuda/").replace(root, "cuda")
    return text


def exceeded(ending: Termination) -> str:
    """Return the message for a compile sandbox that exceeded a limit or was killed."""
    reasons = {
        Termination.WALL_TIME: "The compiler exceeded the time limit.",
        Termination.CPU_TIME: "The compiler exceeded the CPU time limit.",
        Termination.IDLE: "The compiler waited for input that did not come. Include only ordinary files.",
        Termination.MEMORY: "The compiler exceeded the memory limit.",
        Termination.OUTPUT: "The compiler printed too many messages.",
    }
    return reasons.get(ending, "The compiler was killed from outside.")
