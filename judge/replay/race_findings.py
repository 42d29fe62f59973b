"""Parses the messages of functional mode on data races: which two accesses race, and where.

`sandbox/cpu/runtime/race_text.cpp` writes these messages. They come from the program's own process, so they
can be any text.
"""

import re
from dataclasses import dataclass

from judge.replay.recorded import Size
from judge.report import Diagnostic

_TRIPLE = r"\((\d{1,10}),(\d{1,10}),(\d{1,10})\)"
_ACCESS = re.compile(
    rf"thread {_TRIPLE}(?: of block {_TRIPLE})?(?P<kernel> of kernel [^()]{{1,200}})? "
    r"(?P<operation>reads?|writes|wrote|updates|updated) it \(line (?P<line>\d{1,7})\)"
)
_PLACE = re.compile(
    r"race on (?P<text>(?:element (?P<element>\d{1,12}) of (?P<count>\d{1,12})"
    r"(?: \(of (?P<width>\d{1,2}) bytes each\))?|byte (?P<byte>\d{1,12})) of "
    r"(?:(?:argument|variable) (?P<name>.{1,96}?)|the (?P<bytes>\d{1,12})-byte .{1,40}?"
    r"|shared (?P<shared>array .{1,96}?|memory))): thread "
)
_OPERATIONS = {
    "read": "reads",
    "reads": "reads",
    "wrote": "writes",
    "writes": "writes",
    "updated": "updates",
    "updates": "updates",
}


@dataclass(frozen=True, slots=True)
class RacingAccess:
    """An access of a race. `operation` is `reads`, `writes` or `updates`."""

    block: Size
    thread: Size
    line: int
    operation: str


@dataclass(frozen=True, slots=True)
class Place:
    """The memory of a race: `width` bytes, `index` times as far from the start of an array.

    If `width` is 0, it is the width of the elements of the array. An array in global memory has a `name`, or
    else `array_bytes`. In shared memory, `array_bytes` is 0 if it is unknown. `fixed` says that `index`
    counts from the start of shared memory.
    """

    text: str
    shared: bool
    index: int
    width: int
    name: str
    array_bytes: int
    fixed: bool


@dataclass(frozen=True, slots=True)
class NamedRace:
    """What the message of a race in one kernel says."""

    kernel: str
    place: Place
    first: RacingAccess
    second: RacingAccess

    @property
    def in_one_block(self) -> bool:
        """Return whether threads of the same block race."""
        return self.first.block == self.second.block


def parse_race(found: Diagnostic) -> NamedRace | None:
    """Return what the finding on a race says, or None if it is between two kernels or names no line."""
    place = _PLACE.match(found.message)
    accesses = [*_ACCESS.finditer(found.message)][:2]
    if place is None or len(accesses) < 2 or not found.kernel or any(match["kernel"] for match in accesses):
        return None
    first, second = (_access(match, found.block) for match in accesses)
    if first is None or second is None:
        return None
    return NamedRace(found.kernel, _place(place), first, second)


def _access(match: re.Match[str], block: Size | None) -> RacingAccess | None:
    """Return an access. The message names its block only if threads of two blocks race."""
    if match[4]:
        block = (int(match[4]), int(match[5]), int(match[6]))
    if block is None:
        return None
    thread = (int(match[1]), int(match[2]), int(match[3]))
    return RacingAccess(block, thread, int(match["line"]), _OPERATIONS[match["operation"]])


def _place(match: re.Match[str]) -> Place:
    shared = match["shared"]
    width = 1 if match["byte"] else int(match["width"] or 0)
    return Place(
        text=match["text"],
        shared=shared is not None,
        index=int(match["element"] or match["byte"]),
        width=width,
        name=match["name"] or "",
        array_bytes=int(match["count"] or 0) * width if shared else int(match["bytes"] or 0),
        fixed=shared == "memory",
    )
