"""Where registers of a function get their values, for analyses that follow values some steps back or on."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from .polling import instructions_of
from .syntax import (
    Address,
    Arguments,
    Function,
    Instruction,
    Name,
    Offset,
    Operand,
    Pair,
    Unary,
    Vector,
)

MOST_STEPS = 64  # from one register back; longer ways are unknown


class Definitions:
    """The instructions that write each register. A register in a loop has several."""

    def __init__(self, function: Function) -> None:
        self._instructions = (*instructions_of(function.body or ()),)
        self._of: dict[str, list[Instruction]] = {}
        for instruction in self._instructions:
            for name in registers_in(instruction.operands[:1]):
                self._of.setdefault(name, []).append(instruction)

    @cached_property
    def _readers(self) -> dict[str, list[Instruction]]:
        readers: dict[str, list[Instruction]] = {}
        for instruction in self._instructions:
            for name in registers_in(instruction.operands[1:]):
                readers.setdefault(name, []).append(instruction)
        return readers

    def of(self, register: str) -> tuple[Instruction, ...]:
        """Return the instructions that write `register`."""
        return tuple(self._of.get(register, ()))

    def ahead(
        self, register: str, through: Callable[[Instruction], bool]
    ) -> Iterator[tuple[str, Instruction]]:
        """Yield the instructions that read `register`, and those that read what they pass `through`.

        Each comes with the register that it reads.
        """
        seen: set[str] = set()
        waiting = [register]
        while waiting and len(seen) < MOST_STEPS:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for instruction in self._readers.get(name, ()):
                yield name, instruction
                if through(instruction):
                    waiting += registers_in(instruction.operands[:1])

    def reaches(
        self, register: str, found: Callable[[Instruction], bool], through: Callable[[Instruction], bool]
    ) -> bool:
        """Whether one of the instructions behind `register` is `found`.

        The search goes back over those instructions that pass values `through`.
        """
        seen: set[str] = set()
        waiting = [register]
        while waiting and len(seen) < MOST_STEPS:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for instruction in self.of(name):
                if found(instruction):
                    return True
                if through(instruction):
                    waiting += registers_in(instruction.operands[1:])
        return False


def registers_in(operands: Iterable[Operand], *, in_addresses: bool = False) -> Iterator[str]:
    """The names in `operands`: those of addresses and of the arguments of calls only if `in_addresses`."""
    for operand in operands:
        if isinstance(operand, Name):
            yield operand.text
        elif isinstance(operand, Pair):
            yield from registers_in((operand.first, operand.second), in_addresses=in_addresses)
        elif isinstance(operand, Unary):
            yield from registers_in((operand.operand,), in_addresses=in_addresses)
        elif isinstance(operand, Vector) or (in_addresses and isinstance(operand, Arguments)):
            yield from registers_in(operand.elements, in_addresses=in_addresses)
        elif in_addresses and isinstance(operand, Address | Offset) and isinstance(operand.base, Name):
            yield operand.base.text
