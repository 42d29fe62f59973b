"""Reads the sums that functional mode or a runner counts over one call of a program.

The engine's side is `sandbox/cpu/runtime/sums.h`, that of Python programs
`sandbox.runner.python_backward`. The text comes from a sandbox, in which the program could
write it too. So it is bounded and validated, and decides nothing but requirements of technique.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from judge.report import Diagnostic
from problems.vocabulary import DiagnosticKind

_COUNT = r"\d{1,15}"
_SUM = re.compile(rf"({_COUNT})/({_COUNT})/({_COUNT})(?:@(\d{{1,6}}))?")
_PAIR = re.compile(r"([a-z_]{1,20})=(\S{1,60})")
_GROUPS = ("global_load", "global_store", "shared", "atomic", "branch")
_SAVED = re.compile(rf"saved=({_COUNT})")
_NUMBERS = ("launches", "blocks", "barriers")


@dataclass(frozen=True, slots=True)
class Sum:
    """Of one kind of instruction: requests by warps, their cost, the least cost, and the worst line."""

    requests: int = 0
    units: int = 0
    fewest: int = 0
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Sums:
    """The sums of one call of `solve`. `complete` is false if the call did more than the engine counts."""

    launches: int
    blocks: int
    barriers: int
    global_load: Sum  # units: sectors of 32 bytes
    global_store: Sum
    shared: Sum  # units: wavefronts
    atomic: Sum  # units: lanes at the address that most lanes of the request use
    branch: Sum  # requests: executions by warps; units: those in which the warp split
    complete: bool
    saved_bytes: int = 0  # what a Python program keeps for the backward pass


def parse_sums(diagnostics: Iterable[Diagnostic]) -> tuple[Sums, ...]:
    """The sums in `diagnostics`, in the order of the calls. Notes that are not well formed are dropped."""
    texts = (entry.message for entry in diagnostics if entry.kind == DiagnosticKind.SUMS)
    return tuple(found for found in map(_parse, texts) if found is not None)


def _parse(text: str) -> Sums | None:
    if saved := _SAVED.fullmatch(text):
        nothing = Sum()
        return Sums(0, 0, 0, nothing, nothing, nothing, nothing, nothing, True, int(saved[1]))
    pairs = dict(_PAIR.findall(text))
    sums = {name: _SUM.fullmatch(pairs.get(name, "")) for name in _GROUPS}
    numbers = [pairs.get(name, "") for name in _NUMBERS]
    if not all(sums.values()) or not all(re.fullmatch(_COUNT, number) for number in numbers):
        return None
    load, store, shared, atomic, branch = (_sum(match) for match in sums.values() if match)
    launches, blocks, barriers = map(int, numbers)
    return Sums(launches, blocks, barriers, load, store, shared, atomic, branch, pairs.get("complete") == "1")


def _sum(match: re.Match[str]) -> Sum:
    requests, units, fewest = (int(match[place]) for place in (1, 2, 3))
    return Sum(requests, units, fewest, int(match[4]) if match[4] else None)
