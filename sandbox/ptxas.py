"""Reads what `ptxas -v` says of each kernel. The text may come from a sandbox: all of it is bounded.

Also runs inside the compile sandbox, so it uses the standard library alone.
"""

import re
from dataclasses import dataclass

MAX_KERNELS = 64
LEAST_SPILLED_BYTES = 32  # of a thread, for a note: a few are cheap
_LIMIT = 2**31
_ENTRY = re.compile(r"ptxas info\s*: Compiling entry function '([^']+)' for '\w+'")
_PROPERTIES = re.compile(r"ptxas info\s*: Function properties for (\S+)")
_USED = re.compile(r"ptxas info\s*: Used (\d{1,12}) registers")
# Counts are looked for anywhere in a line, so each is bounded: else a line of digits would take its square.
_COUNT = r"(?<!\d)(\d{1,12})"
_FRAME = re.compile(rf"{_COUNT} bytes stack frame, {_COUNT} bytes spill stores, {_COUNT} bytes spill loads")
_SHARED = re.compile(rf"{_COUNT} bytes smem")
_CONSTANT = re.compile(rf"{_COUNT} bytes cmem\[\d{{1,4}}\]")


@dataclass(slots=True)
class Assembled:
    """What one kernel takes: registers and stack bytes per thread, the rest in bytes."""

    registers: int = 0
    shared_bytes: int = 0
    stack_bytes: int = 0
    spill_store_bytes: int = 0
    spill_load_bytes: int = 0
    constant_bytes: int = 0

    @property
    def spilled_bytes(self) -> int:
        """What a thread stores of its registers and loads again."""
        return self.spill_store_bytes + self.spill_load_bytes

    @property
    def spills_much(self) -> bool:
        """Whether a note is made of the spilled registers."""
        return self.spilled_bytes >= LEAST_SPILLED_BYTES


def assembled_kernels(text: str) -> dict[str, Assembled]:
    """The kernels by mangled name, at most MAX_KERNELS, in the order of the text.

    For each entry ptxas prints its name, then its frame and spills, then the rest on one line.
    """
    kernels: dict[str, Assembled] = {}
    entry = function = ""
    for line in text.splitlines():
        if match := _ENTRY.match(line):
            entry = match[1]
            if len(kernels) < MAX_KERNELS:
                kernels[entry] = Assembled()
        elif match := _PROPERTIES.match(line):
            function = match[1]
        elif entry not in kernels:
            continue
        elif (match := _FRAME.search(line)) and function == entry:
            kernel = kernels[entry]
            kernel.stack_bytes = bounded(match[1])
            kernel.spill_store_bytes = bounded(match[2])
            kernel.spill_load_bytes = bounded(match[3])
        elif match := _USED.match(line):
            kernel = kernels[entry]
            shared = _SHARED.search(line)
            kernel.registers = bounded(match[1])
            kernel.shared_bytes = bounded(shared[1]) if shared else 0
            kernel.constant_bytes = sum(map(bounded, _CONSTANT.findall(line)))
    return kernels


def bounded(word: str) -> int:
    """The number that `word` spells, bounded."""
    return min(int(word[:12]), _LIMIT)
