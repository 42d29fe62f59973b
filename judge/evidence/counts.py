"""Parses the counts of functional mode for each kernel. They come from sandboxes: bounded, validated."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind

MAX_KERNELS = 16
_NUMBER = r"(\d{1,15})"
# The format of `sandbox/cpu/runtime/counters.cpp`.
_COUNTS = re.compile(
    rf"{_NUMBER} requests? to global memory: {_NUMBER} necessary sectors? of {_NUMBER}; "
    rf"{_NUMBER} requests? to shared memory: {_NUMBER} necessary wavefronts? of {_NUMBER}; "
    rf"{_NUMBER} atomic requests? in {_NUMBER} turns?; "
    rf"{_NUMBER} divergent branch executions? of {_NUMBER}"
)


@dataclass(frozen=True, slots=True)
class KernelCounts:
    """The memory requests and branches of a kernel in all launches of one call of `solve`, counted by warp.

    A request is an access of a warp to memory. Sectors have 32 bytes. The necessary sectors and wavefronts
    are the fewest that could serve the requests. An atomic request takes several turns; in each turn it
    updates each address once.
    """

    kernel: str
    global_requests: int
    necessary_sectors: int
    sectors: int
    shared_requests: int
    necessary_wavefronts: int
    wavefronts: int
    atomic_requests: int
    atomic_turns: int
    divergent_branches: int
    branches: int

    @property
    def events(self) -> int:
        """The number of counted requests and branches, a measure of how much of the kernel was seen."""
        return self.global_requests + self.shared_requests + self.atomic_requests + self.branches


def parse_counts(diagnostics: Iterable[Diagnostic]) -> tuple[KernelCounts, ...]:
    """Return the counts of each kernel in the call that counted most of it, in order, at most MAX_KERNELS."""
    largest: dict[str, KernelCounts] = {}
    for entry in diagnostics:
        counts = _parse(entry)
        if counts is None:
            continue
        known = largest.get(counts.kernel)
        if (known is None and len(largest) < MAX_KERNELS) or (known and counts.events > known.events):
            largest[counts.kernel] = counts
    return tuple(largest.values())


def _parse(entry: Diagnostic) -> KernelCounts | None:
    if entry.kind != DiagnosticKind.COUNTS or not entry.kernel:
        return None
    match = _COUNTS.fullmatch(entry.message)
    return KernelCounts(entry.kernel, *map(int, match.groups())) if match else None
