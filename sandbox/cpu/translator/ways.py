"""Finds paths through a function from one memory access to another that pass no barrier.

If two accesses race, such a path shows where a barrier is missing. A path down the text means that it is
missing between the two lines. A path up the text means that it is missing between two iterations of a loop.
An unrolled loop is treated like any other, because its lines occur several times in the PTX.

Accesses of the same line race between iterations only if the line is executed repeatedly: if there is a path
from each of the two to the other, with or without a barrier.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .branches import MOST_BLOCKS, Flow
from .syntax import Function, Instruction

DOWN, UP = 1, 2
IN_WARP = 2  # the places by which the same two are shifted, for ways without __syncwarp either
MOST_PLACES = 256  # of a function, which get ways
_ACCESSES = ("ld", "ldu", "st", "atom", "red", "cp", "ldmatrix", "stmatrix", "wmma")
_SPACES = ("", "shared", "global")
_ONLY_READ = ("ld", "ldu", "ldmatrix")

Order = tuple[int, ...]


class Place(NamedTuple):
    """An access of memory: its location, its lines from the outermost call on, and whether it writes."""

    location: int
    order: Order
    writes: bool


class Way(NamedTuple):
    """The ways between two locations, the upper one first. `kinds` has the bits DOWN and UP, twice.

    The lines are those between which a barrier can be: in functions that call each other, those of the calls.
    """

    upper: int
    lower: int
    upper_line: int
    lower_line: int
    kinds: int


def accesses_memory(instruction: Instruction) -> bool:
    """Whether an instruction may access shared or global memory."""
    if instruction.name == "wmma" and instruction.has("mma"):
        return False
    return instruction.name in _ACCESSES and instruction.space in _SPACES


def writes_memory(instruction: Instruction) -> bool:
    """Whether an instruction that accesses memory may write."""
    return instruction.name not in _ONLY_READ and not (instruction.name == "wmma" and instruction.has("load"))


def ways(function: Function, places: dict[int, Place]) -> list[Way]:
    """The ways between `places`, which are given by the numbers of their instructions in `function`."""
    if len(set(places.values())) > MOST_PLACES or not places:
        return []
    flow = Flow(function)
    if len(flow.starts) > MOST_BLOCKS:
        return []
    known = list(dict.fromkeys(places.values()))
    everywhere = _reached(flow, places, known, ())
    kinds: dict[tuple[int, int, int, int], int] = {}
    for shift, barriers in ((0, ("bar", "barrier", "call")), (IN_WARP, ("bar", "barrier", "call", "warp"))):
        reached = _reached(flow, places, known, barriers)
        for start, end in _pairs(reached):
            way = _way(known, everywhere, start, end)
            if way is not None:
                kinds[way[:4]] = kinds.get(way[:4], 0) | way.kinds << shift
    return [Way(*between, kind) for between, kind in sorted(kinds.items())]


def _way(known: Sequence[Place], everywhere: Sequence[int], start: int, end: int) -> Way | None:
    """The way between two places, without __syncthreads."""
    one, two = known[start], known[end]
    if one.order == two.order:
        comes_again = everywhere[end] >> start & 1
        line = one.order[-1]
        return Way(one.location, two.location, line, line, UP if one.writes and comes_again else DOWN)
    upper, lower = sorted((one, two), key=lambda place: place.order)
    pairs = zip(upper.order, lower.order, strict=False)
    lines = next((pair for pair in pairs if pair[0] != pair[1]), (upper.order[-1], lower.order[-1]))
    return Way(upper.location, lower.location, *lines, DOWN if one is upper else UP)


def _pairs(reached: Sequence[int]) -> Iterator[tuple[int, int]]:
    for start, mask in enumerate(reached):
        rest = mask
        while rest:
            lowest = rest & -rest
            yield start, lowest.bit_length() - 1
            rest ^= lowest


def _reached(
    flow: Flow, places: dict[int, Place], known: Sequence[Place], barriers: tuple[str, ...]
) -> list[int]:
    """For each of `known`, a bit for each of those that a thread can reach without passing `barriers`."""
    numbers = {place: number for number, place in enumerate(known)}
    from_start = [0] * (len(flow.starts) + 1)  # of each block, and of the end
    reached = [0] * len(known)
    changed = True
    while changed:
        changed = False
        for block in range(len(flow.starts) - 1, -1, -1):
            ahead = 0
            for following in flow.following[block]:
                ahead |= from_start[following]
            for at in range(flow.ends[block] - 1, flow.starts[block] - 1, -1):
                if _is_barrier(flow.instructions[at], barriers):
                    ahead = 0
                elif at in places:
                    number = numbers[places[at]]
                    reached[number] |= ahead
                    ahead |= 1 << number
            changed |= ahead != from_start[block]
            from_start[block] = ahead
    return reached


def _is_barrier(instruction: Instruction, barriers: tuple[str, ...]) -> bool:
    if instruction.name not in barriers or instruction.has("arrive"):
        return False
    return "warp" in barriers or not instruction.has("warp")
