"""Parses the sums that functional mode or a runner counts over one call of a program.

`sandbox/cpu/runtime/sums.h` writes the sums of functional mode, and `sandbox.runner.python_counts` those of
Python programs. The text comes from a sandbox, so the program could forge it. It is bounded and validated,
and only requirements on the technique depend on it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from judge.report import Diagnostic
from problems.vocabulary import Counter, DiagnosticKind

_COUNT = r"\d{1,15}"
_SUM = re.compile(rf"({_COUNT})/({_COUNT})/({_COUNT})(?:@(\d{{1,6}})(?:/(\d{{1,6}}))?)?")
_PAIR = re.compile(r"([a-z_]{1,40})=(\S{1,100})")
_EVENT = re.compile(rf"({_COUNT})(?:@(\d{{1,6}})|:([a-zA-Z]\w{{1,60}}))?")
_SHAPE = re.compile(rf"({_COUNT}|\?)/({_COUNT}|\?)/({_COUNT}|\?)/({_COUNT})/({_COUNT})(?:@(\d{{1,6}}))?")
_MORE = "more"
MAX_SHAPES = 16
_GROUPS = ("global_load", "global_store", "shared", "atomic", "branch")
_PYTHON = "python"  # begins the sums of Python programs
_NUMBERS = ("launches", "blocks", "barriers")
_EVENTS = frozenset(Counter) - frozenset(_NUMBERS)


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum over instructions of one kind: requests of warps, their cost, the least cost, and lines.

    `line` is the line that wastes most, and `busiest_line` the line that requests most.
    """

    requests: int = 0
    units: int = 0
    fewest: int = 0
    line: int | None = None
    busiest_line: int | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """The number of occurrences of an event, with the line or the CUDA call that contributes most."""

    amount: int = 0
    line: int | None = None
    call: str = ""


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """The resources of a launch, per thread and per block. `line` is the line of the kernel.

    Registers, spilled bytes and bytes of local memory are None if ptxas did not run or rejected the PTX.
    """

    registers: int | None
    spilled_bytes: int | None
    local_bytes: int | None
    shared_bytes: int
    threads: int
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of one call of `solve`.

    `complete` is false if the call accessed memory or branched more often than the engine counts. `events`
    has the names of counters as keys; a missing event did not occur. `shapes` are the distinct shapes of
    launches, None if there were more than the engine keeps.
    """

    launches: int
    blocks: int
    barriers: int
    global_load: Sum  # units: sectors of 32 bytes
    global_store: Sum
    shared: Sum  # units: wavefronts
    atomic: Sum  # units: lanes at the address that most lanes of the request use
    branch: Sum  # requests: executions by warps; units: those in which the warp split
    complete: bool
    events: Mapping[str, Event] = field(default_factory=dict)
    shapes: tuple[LaunchShape, ...] | None = ()
    # Units: sectors. `async_load` is the part of `global_load` that asynchronous copies make. `global_atomic`
    # is the part of `atomic` that accesses global memory. `copied` is the traffic of copies and fills by the
    # runtime.
    texture: Sum = Sum()
    async_load: Sum = Sum()
    global_atomic: Sum = Sum()
    copied: Sum = Sum()
    host: Sum = Sum()  # of accesses to memory that host code can use
    relayed_bytes: int = 0  # copied to the host and, unchanged, from there to a device
    pipeline_span: int = 0  # of copies and kernels; a unit is the time in which a link moves one byte
    kernel_requests: int = 0  # to global memory and textures
    busiest_block: int = 0  # requests of the block, or launch, with the most requests
    busiest_launch: int = 0
    saved_bytes: int | None = None  # kept by a Python program for the backward pass; None if not counted


def parse_sums(diagnostics: Iterable[Diagnostic]) -> tuple[Sums, ...]:
    """Return the sums in `diagnostics`, in the order of the calls. Malformed records are dropped."""
    texts = (entry.message for entry in diagnostics if entry.kind == DiagnosticKind.SUMS)
    return tuple(found for found in map(_parse, texts) if found is not None)


def _parse(text: str) -> Sums | None:
    found = _PAIR.findall(text)
    pairs = dict(found)
    if text.partition(" ")[0] == _PYTHON:
        return _of_python(pairs)
    sums = {name: _SUM.fullmatch(pairs.get(name, "")) for name in _GROUPS}
    numbers = [pairs.get(name, "") for name in _NUMBERS]
    if not all(sums.values()) or not all(re.fullmatch(_COUNT, number) for number in numbers):
        return None
    load, store, shared, atomic, branch = (_sum(match) for match in sums.values() if match)
    launches, blocks, barriers = map(int, numbers)
    return Sums(
        launches,
        blocks,
        barriers,
        load,
        store,
        shared,
        atomic,
        branch,
        pairs.get("complete") == "1",
        _events(pairs),
        _shapes([value for name, value in found if name == "shape"]),
        texture=_optional_sum(pairs, "texture"),
        async_load=_optional_sum(pairs, "async_load"),
        global_atomic=_optional_sum(pairs, "global_atomic"),
        copied=_optional_sum(pairs, "copied"),
        host=_optional_sum(pairs, "host"),
        relayed_bytes=_optional_number(pairs, "relayed_bytes"),
        pipeline_span=_optional_number(pairs, "pipeline_span"),
        kernel_requests=_optional_number(pairs, "kernel_requests"),
        busiest_block=_optional_number(pairs, "busiest_block"),
        busiest_launch=_optional_number(pairs, "busiest_launch"),
    )


def _of_python(pairs: Mapping[str, str]) -> Sums:
    nothing = Sum()
    saved = pairs.get("saved", "")
    return Sums(
        *(0, 0, 0),
        *(nothing, nothing, nothing, nothing, nothing),
        complete=True,
        events=_events(pairs),
        saved_bytes=int(saved) if re.fullmatch(_COUNT, saved) else None,
    )


def _events(pairs: Mapping[str, str]) -> Mapping[str, Event]:
    events = ((name, _EVENT.fullmatch(value)) for name, value in pairs.items() if name in _EVENTS)
    return {name: _event(match) for name, match in events if match}


def _optional_sum(pairs: Mapping[str, str], name: str) -> Sum:
    match = _SUM.fullmatch(pairs.get(name, ""))
    return _sum(match) if match else Sum()


def _optional_number(pairs: Mapping[str, str], name: str) -> int:
    return int(pairs[name]) if re.fullmatch(_COUNT, pairs.get(name, "")) else 0


def _event(match: re.Match[str]) -> Event:
    return Event(int(match[1]), int(match[2]) if match[2] else None, match[3] or "")


def _shapes(texts: list[str]) -> tuple[LaunchShape, ...] | None:
    matches = [_SHAPE.fullmatch(text) for text in texts if text != _MORE]
    if _MORE in texts or len(texts) > MAX_SHAPES or not all(matches):
        return None
    return tuple(_shape(match) for match in matches if match)


def _shape(match: re.Match[str]) -> LaunchShape:
    registers, spilled_bytes, local_bytes = (
        None if match[place] == "?" else int(match[place]) for place in (1, 2, 3)
    )
    line = int(match[6]) if match[6] else None
    return LaunchShape(registers, spilled_bytes, local_bytes, int(match[4]), int(match[5]), line)


def _sum(match: re.Match[str]) -> Sum:
    requests, units, fewest = (int(match[place]) for place in (1, 2, 3))
    line, busiest_line = (int(place) if place else None for place in (match[4], match[5] or match[4]))
    return Sum(requests, units, fewest, line, busiest_line)
