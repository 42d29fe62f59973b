"""Parses the output of compute-sanitizer. The program prints to the same stream, so the text is hostile.

A finding consists of lines that start with `=========`: the error, its place in the code, and the thread.

    ========= Invalid __global__ write of size 4 bytes
    =========     at add(const float *, float *, int)+0x90 in solution.cu:5
    =========     by thread (31,0,0) in block (7,0,0)
    =========     Access to 0x7f21e6c00400 is out of bounds

Racecheck reports two or more places and no thread:

    ========= Error: Race reported between Write access at sum(float *, int)+0x90 in solution.cu:7
    =========     and Read access at sum(float *, int)+0x120 in solution.cu:9 [508 hazards]

Source: Compute Sanitizer User Manual, "Understanding Memcheck Errors" and "Racecheck Report Modes".
"""

import re
from collections.abc import Iterable, Iterator

from judge.evidence.diagnostics import clean
from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind, Severity, Verdict

MAX_BYTES = 256 * 1024
MAX_FINDINGS = 16
_MARK = "========="
_MAX_MESSAGE = 300
_MOST_ACCESSES = 4
_MAX_LINE = 600
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_PLACE = re.compile(
    r"at (?P<kernel>.{1,200}?)(\+0x[0-9a-fA-F]+)?( in (?P<file>\S{1,200}):(?P<line>\d{1,6}))?$"
)
_THREAD = re.compile(
    r"by thread \((\d{1,10}),(\d{1,10}),(\d{1,10})\) in block \((\d{1,10}),(\d{1,10}),(\d{1,10})\)"
)
_RACE = re.compile(r"(?P<severity>Error|Warning): Race reported between ", re.IGNORECASE)
_HAZARD = re.compile(
    r"(?P<access>Read|Write) access at (?P<kernel>.{1,200}?)(\+0x[0-9a-fA-F]+)?"
    r"( in (?P<file>\S{1,200}):(?P<line>\d{1,6}))?( \[\d{1,12} hazards?\])?$"
)
_OPENINGS = (
    ("Invalid ", DiagnosticKind.OUT_OF_BOUNDS),
    ("Misaligned ", DiagnosticKind.MISALIGNED),
    ("Program hit ", DiagnosticKind.CUDA_ERROR),
    ("Stack overflow", DiagnosticKind.STACK_OVERFLOW),
    ("Leaked ", DiagnosticKind.LEAK),
)
_ACCESSES = {
    DiagnosticKind.OUT_OF_BOUNDS,
    DiagnosticKind.MISALIGNED,
    DiagnosticKind.STACK_OVERFLOW,
    DiagnosticKind.NULL_POINTER,
    DiagnosticKind.USE_AFTER_FREE,
}
_DETAILS = ("Access", "Address", "and is")


def findings(output: bytes) -> tuple[Diagnostic, ...]:
    """Parse the joint output of the program and compute-sanitizer. Returns at most MAX_FINDINGS findings."""
    lines = output[:MAX_BYTES].decode("utf-8", "replace").splitlines()
    said = [line.removeprefix(_MARK).strip() for line in lines if line.startswith(_MARK)]
    starts = [index for index, line in enumerate(said) if _kind(line)]
    ends = [*starts[1:], len(said)]
    found = (_finding(said[start:end]) for start, end in zip(starts, ends, strict=False))
    return tuple(_unique(found))[:MAX_FINDINGS]


def refined(verdict: Verdict, found: Iterable[Diagnostic]) -> Verdict:
    """Return a more precise verdict for a runtime error, from findings of another tool."""
    bad = any(diagnostic.kind in _ACCESSES for diagnostic in found)
    return Verdict.ILLEGAL_ACCESS if verdict is Verdict.RUNTIME_ERROR and bad else verdict


def _kind(line: str) -> str | None:
    if _RACE.match(line):
        return DiagnosticKind.RACE
    return next((kind for opening, kind in _OPENINGS if line.startswith(opening)), None)


def _race(lines: list[str]) -> Diagnostic:
    """Return the diagnostic for a race, from the places that racecheck names."""
    short = [line[:_MAX_LINE] for line in lines[: 1 + _MOST_ACCESSES]]
    places = [match for line in short if (match := _HAZARD.search(line))]
    accesses = [
        f"a {place['access'].lower()} in line {place['line']}" if place["line"] else place["access"].lower()
        for place in places
    ]
    message = (
        "compute-sanitizer: Threads of a block race for shared memory: "
        f"{' and '.join(accesses) or 'accesses'}, with no barrier between. Put __syncthreads() between them."
    )
    first = places[0] if places else None
    return Diagnostic(
        Severity.WARNING if lines[0].lower().startswith("warning") else Severity.ERROR,
        DiagnosticKind.RACE,
        clean(message, _MAX_MESSAGE),
        kernel=clean(first["kernel"], 200) if first else None,
        line=(int(first["line"]) if first and first["line"] else 0) or None,
    )


def _finding(lines: list[str]) -> Diagnostic:
    if _kind(lines[0]) == DiagnosticKind.RACE:
        return _race(lines)
    kernel, line_number, thread, block = None, None, None, None
    details = [_ADDRESS.sub("an address", line) for line in lines[1:] if line.startswith(_DETAILS)]
    for line in lines[1:]:
        if thread is None and (match := _THREAD.search(line)):
            x, y, z, block_x, block_y, block_z = (min(int(word), 2**32 - 1) for word in match.groups())
            thread, block = (x, y, z), (block_x, block_y, block_z)
        elif kernel is None and (match := _PLACE.match(line)):
            kernel = clean(match["kernel"], 200)
            line_number = int(match["line"]) if match["line"] else None
    message = "; ".join([lines[0].rstrip("."), *details])
    return Diagnostic(
        Severity.ERROR,
        _kind(lines[0]) or "sanitizer",
        clean(f"compute-sanitizer: {message}.", _MAX_MESSAGE),
        kernel=kernel,
        block=block,
        thread=thread,
        line=line_number or None,
    )


def _unique(found: Iterator[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield one finding for each place and kind, since a wrong kernel fails in every thread."""
    seen = set()
    for diagnostic in found:
        place = (diagnostic.kind, diagnostic.kernel, diagnostic.line)
        if place not in seen:
            seen.add(place)
            yield diagnostic
