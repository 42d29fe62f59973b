"""Finds registers that only carry values from memory to memory, as in a copy of a struct.

A copy of a struct may read padding, which the program never writes. Race mode reports such a read only if the
value is used. The bytes that nothing has written remain unwritten in the copy.

Registers into which nvcc packs several bytes before it stores them are not followed.
"""

from .definitions import registers_in
from .polling import instructions_of
from .syntax import Function, Instruction, Name, Number

_ORDERED = ("volatile", "acquire", "relaxed", "release", "mmio")


def copied_registers(function: Function) -> frozenset[str]:
    """The registers that are loaded as bytes or as parts of vectors of integers, moved, and stored again.

    nvcc copies the padding at the end of a struct as bytes, or with its members as vectors.
    """
    loaded: set[str] = set()
    used: set[str] = set()
    moves: list[tuple[str, str]] = []
    for instruction in instructions_of(function.body or ()):
        operands = instruction.operands
        if instruction.name == "ld" and element_bytes(instruction):
            loaded.update(registers_in(operands[:1]))
            operands = operands[1:]
        elif instruction.name == "st" and element_bytes(instruction):
            operands = operands[:1]
        elif instruction.name == "mov" and len(operands) == 2 and isinstance(operands[0], Name):
            source = operands[1]
            if isinstance(source, Name):
                moves.append((operands[0].text, source.text))
            if isinstance(source, Name | Number):
                continue
        used.update(registers_in(operands, in_addresses=True))
    return frozenset(_closed(loaded, used, moves))


def _closed(loaded: set[str], used: set[str], moves: list[tuple[str, str]]) -> set[str]:
    """Return the registers that hold only what is `loaded`, and move only to others of them."""
    kept, before = set(loaded), set[str]()
    while kept != before:
        before = set(kept)
        kept |= {target for target, source in moves if source in kept}
    kept -= used
    while mixed := {name for move in moves for name in move if not kept.issuperset(move)} & kept:
        kept -= mixed
    return kept


def element_bytes(instruction: Instruction) -> int:
    """Return the size of the elements of a load or store that may be part of a copy, 0 for others."""
    if instruction.any_of(*_ORDERED) or not instruction.types or len(instruction.operands) < 2:
        return 0
    kind = instruction.types[-1]
    integer = kind.family in ("bits", "unsigned", "signed") and kind.size_bytes <= 8
    whole = instruction.any_of("v2", "v4", "v8") or kind.size_bytes == 1
    return kind.size_bytes if integer and whole else 0
