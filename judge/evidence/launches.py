"""Parses the launches that runners record. The records come from sandboxes: bounded, validated."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind

MAX_LAUNCHES = 64
_SIZE = r"\(?(\d{1,10})(?:, ?(\d{1,10}), ?(\d{1,10}))?\)?"
_CUDA = re.compile(
    rf"(?P<kernel>.{{1,300}}?)<<<{_SIZE}, ?{_SIZE}(?:, ?(?P<dynamic>\d{{1,9}}))?>>>"
    r"(?: with (?P<static>\d{1,9}) bytes of static shared memory)?"
    r"(?:, (?P<registers>\d{1,3}) registers? per thread)?"
)

Size = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class KernelLaunch:
    """A launch of a CUDA kernel. Shared memory is per block; its static part is taken from the record.

    `registers` is per thread, None if the record does not contain it.
    """

    kernel: str
    grid: Size
    block: Size
    dynamic_bytes: int = 0
    static_bytes: int = 0
    registers: int | None = None

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return prod(self.block)

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return prod(self.grid)


def parse_launches(diagnostics: Iterable[Diagnostic]) -> tuple[KernelLaunch, ...]:
    """Return the distinct launches in `diagnostics`, in order, at most MAX_LAUNCHES."""
    texts = dict.fromkeys(entry.message for entry in diagnostics if entry.kind == DiagnosticKind.LAUNCH)
    found = (_parse(text) for text in list(texts)[:MAX_LAUNCHES])
    return tuple(launch for launch in found if launch is not None)


def launched_nothing(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether the records say that a Triton program never launched a kernel. They may be forged."""
    kinds = {entry.kind for entry in diagnostics}
    return DiagnosticKind.NO_KERNEL in kinds and DiagnosticKind.LAUNCH not in kinds


def plain_name(kernel: str) -> str:
    """Return a kernel's name without return type and parameters: `scan<int>` for `void scan<int>(int*)`."""
    depth = 0
    for index, character in enumerate(kernel):
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "(" and depth <= 0 and kernel[:index].strip():
            kernel = kernel[:index]
            break
    return kernel.strip().removeprefix("void ").strip()


def _parse(text: str) -> KernelLaunch | None:
    match = _CUDA.match(text)
    if match is None:
        return None
    x, y, z, width, height, depth = (int(word or 1) for word in match.groups()[1:7])
    return KernelLaunch(
        match["kernel"],
        (x, y, z),
        (width, height, depth),
        int(match["dynamic"] or 0),
        int(match["static"] or 0),
        int(match["registers"]) if match["registers"] else None,
    )
