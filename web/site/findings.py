"""The kinds of findings that have a page of their own. `web.learn` shows the pages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.urls import reverse

from problems.vocabulary import DiagnosticKind
from web.site.concepts import Lesson, lesson_at

TEXTS = Path(__file__).with_name("finding_texts")
_FIRST_CHECK = re.compile(r"(?m)^## What to check\n\n- (.+)$")


@dataclass(frozen=True, slots=True)
class Finding:
    """A page about one kind of finding. `further` names the concept or section to read next."""

    kind: DiagnosticKind
    title: str
    further: str

    @property
    def url(self) -> str:
        """Return the address of its page."""
        return reverse("finding", args=[self.kind.value])

    @property
    def text(self) -> str:
        """Return its text as Markdown."""
        return _text_of(self.kind)

    @property
    def why(self) -> str:
        """Return the first paragraph of its text, as plain text."""
        return _plain(self.text.partition("\n\n")[0])

    @property
    def check(self) -> str:
        """Return the first point of *What to check*, as plain text."""
        match = _FIRST_CHECK.search(self.text)
        return _plain(match[1]) if match else ""

    @property
    def lesson(self) -> Lesson:
        """Return what to read next."""
        return lesson_at(self.further)


FINDINGS: Mapping[str, Finding] = {
    finding.kind.value: finding
    for finding in (
        Finding(DiagnosticKind.BAD_FREE, "Free of something else", "#memory"),
        Finding(DiagnosticKind.BAD_MASK, "Wrong mask of a warp operation", "warp-shuffle"),
        Finding(DiagnosticKind.BANK_CONFLICT, "Bank conflicts in shared memory", "shared-memory#s-banks"),
        Finding(DiagnosticKind.CANCELLATION, "Subtraction that cancels", "numerical-stability"),
        Finding(DiagnosticKind.CONTENDED_ATOMIC, "Atomic operations on one address", "contention"),
        Finding(DiagnosticKind.COPY_DIRECTION, "Copy in the wrong direction", "#memory"),
        Finding(DiagnosticKind.CUDA_ERROR, "CUDA call that failed", "#launch"),
        Finding(DiagnosticKind.DEADLOCK, "Threads that wait for ever", "synchronisation"),
        Finding(DiagnosticKind.DIVERGENT_BARRIER, "Barrier that not all threads reach", "synchronisation"),
        Finding(DiagnosticKind.DIVERGENT_BRANCH, "Branches that split warps", "reduction"),
        Finding(DiagnosticKind.DIVISION_BY_ZERO, "Integer division by zero", "#index"),
        Finding(DiagnosticKind.DOUBLE_PRECISION, "Double precision by accident", "compute-bound"),
        Finding(DiagnosticKind.EXITED_THREADS, "Barrier after some threads have returned", "synchronisation"),
        Finding(DiagnosticKind.HALF_OVERFLOW, "Overflow in half precision", "numerical-stability"),
        Finding(DiagnosticKind.HOST_ACCESS, "Host code that uses device memory", "#memory"),
        Finding(DiagnosticKind.HOST_POINTER, "Kernel that uses memory of the host", "#memory"),
        Finding(DiagnosticKind.ILLEGAL_ADDRESS, "Access to an illegal address", "bounds"),
        Finding(DiagnosticKind.LAUNCH_BOUND, "Many small launches", "#launch"),
        Finding(DiagnosticKind.LEAK, "Memory that was not freed", "#memory"),
        Finding(DiagnosticKind.LOW_OCCUPANCY, "Idle lanes or multiprocessors", "#launch"),
        Finding(DiagnosticKind.MASKED_LOAD, "Masked elements without a value", "uninitialised-memory"),
        Finding(DiagnosticKind.MEMORY, "Not enough memory", "data-reuse"),
        Finding(DiagnosticKind.MISALIGNED, "Misaligned access", "coalescing#s-alignment"),
        Finding(
            DiagnosticKind.MISALIGNED_VECTORS,
            "Accesses that do not start at a sector boundary",
            "coalescing#s-alignment",
        ),
        Finding(DiagnosticKind.NEEDLESS_WAIT, "Wait between two kernels", "#launch"),
        Finding(DiagnosticKind.NO_KERNEL, "No kernel was launched", "#launch"),
        Finding(DiagnosticKind.NULL_POINTER, "Use of a null pointer", "#memory"),
        Finding(DiagnosticKind.OUT_OF_BOUNDS, "Access outside an array", "bounds"),
        Finding(DiagnosticKind.PAGEABLE_COPY, "Copies of pageable memory", "#memory"),
        Finding(DiagnosticKind.PEER_ACCESS, "Memory of another device", "#memory"),
        Finding(DiagnosticKind.PRECISION, "Lower precision than expected", "numerical-stability"),
        Finding(DiagnosticKind.RACE, "Data race", "synchronisation"),
        Finding(DiagnosticKind.REORDERED_READ, "Reordered relaxed accesses", "synchronisation"),
        Finding(DiagnosticKind.REDUNDANT_LOADS, "Loads of the same elements", "data-reuse"),
        Finding(DiagnosticKind.RESOURCES, "Kernel that needs too much", "#launch"),
        Finding(DiagnosticKind.ROUNDED_SUM, "Rounding errors of a sum", "numerical-stability"),
        Finding(DiagnosticKind.SHUFFLE_SOURCE, "Shuffle from a lane that takes no part", "warp-shuffle"),
        Finding(DiagnosticKind.SPILLS, "Registers that spill to local memory", "#threads"),
        Finding(DiagnosticKind.STACK_OVERFLOW, "Stack overflow", "#threads"),
        Finding(DiagnosticKind.STREAM_HAZARD, "Streams without an order", "synchronisation"),
        Finding(DiagnosticKind.TAIL, "Last wave of blocks that is nearly empty", "#launch"),
        Finding(DiagnosticKind.TENSOR_CORES, "Tensor cores that are not used", "compute-bound"),
        Finding(DiagnosticKind.TIME_LIMIT, "Program that takes too long", "data-reuse"),
        Finding(DiagnosticKind.UNCOALESCED, "Accesses that do not coalesce", "coalescing"),
        Finding(DiagnosticKind.UNINITIALISED, "Read of uninitialised memory", "uninitialised-memory"),
        Finding(DiagnosticKind.USE_AFTER_FREE, "Use of freed memory", "#memory"),
        Finding(DiagnosticKind.WILD_POINTER, "Pointer to no array", "bounds"),
    )
}


def page_of_finding(kind: str) -> Finding | None:
    """Return the page about findings of `kind`, None if there is none."""
    return FINDINGS.get(kind)


@cache
def _text_of(kind: DiagnosticKind) -> str:
    return (TEXTS / f"{kind.value}.md").read_text(encoding="utf-8")


def _plain(markdown: str) -> str:
    parts = markdown.split("`")  # the odd elements are code, where an asterisk is not emphasis
    return "".join(part if place % 2 else part.replace("*", "") for place, part in enumerate(parts))
