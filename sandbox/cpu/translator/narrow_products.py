"""Finds instructions that multiply elements of float16, bfloat16 or int8 as in a matrix product.

Both factors are loaded from memory in such a type, and may be widened before. The product is added to another
value. For products of matrices, tensor cores could do this work. A counting run counts the executions.
"""

from collections.abc import Iterable

from .definitions import MOST_STEPS, Definitions, registers_in
from .polling import instructions_of
from .syntax import Function, Instruction, Name, Number, Operand, Vector

# Among the counted instructions of a module, by the products that each makes. `tensor_cores.cpp` reads them.
KINDS = {1: "narrow_products", 2: "narrow_pairs", 4: "narrow_quads"}
_HALVES = ("f16", "bf16", "f16x2", "bf16x2")
_BYTES = ("s8", "u8")
_THROUGH = ("mov", "cvt", "prmt", "shl", "shr", "and")


def uses_tensor_cores(functions: Iterable[Function]) -> bool:
    """Whether any function has an instruction for tensor cores."""
    return any(
        instruction.name in ("mma", "wmma", "wgmma")
        for function in functions
        for instruction in instructions_of(function.body or ())
    )


class NarrowProducts:
    """Tells the products of narrow types among the instructions of a function."""

    def __init__(self, function: Function, definitions: Definitions) -> None:
        self._definitions = definitions
        stores = [
            instruction
            for instruction in instructions_of(function.body or ())
            if instruction.name == "st" and instruction.space == "shared" and instruction.has("f32")
        ]
        # Tiles of halves that are kept as floats in shared memory.
        self._keeps_halves = False
        self._keeps_halves = bool(stores) and all(
            self._is_half(name) for store in stores for name in registers_in(store.operands[1:])
        )

    def products(self, instruction: Instruction) -> int:
        """Return how many products an instruction makes that tensor cores could make; usually 0."""
        if instruction.name == "dp4a":
            return 4
        if not self._multiplies(instruction):
            return 0
        return 2 if instruction.any_of("f16x2", "bf16x2") else 1

    def _multiplies(self, instruction: Instruction) -> bool:
        if instruction.name not in ("fma", "mad", "mul"):
            return False
        names = set(registers_in(instruction.operands[1:3]))
        if len(names) != 2:  # a square, or a constant factor
            return False
        if instruction.any_of(*_HALVES):
            return all(map(self._is_loaded, names))
        if instruction.name == "mul":
            return False
        is_narrow = self._is_half if "f32" in instruction.modifiers else self._is_byte
        return all(map(is_narrow, names))

    def _is_loaded(self, name: str) -> bool:
        return self._definitions.reaches(name, _loads, _passes)

    def _is_half(self, name: str) -> bool:
        """Whether all values of a float register are halves from memory, or zero."""
        waiting, seen, halves = [name], {name}, 0
        while waiting and len(seen) < MOST_STEPS:
            for instruction in self._definitions.of(waiting.pop()):
                if self._brings_half(instruction):
                    halves += 1
                elif instruction.name not in ("mov", "selp") or not _only_zeros(instruction):
                    return False
                else:
                    sources = set(registers_in(instruction.operands[1:])) - seen
                    waiting += sources
                    seen |= sources
        return halves > 0 and not waiting

    def _brings_half(self, instruction: Instruction) -> bool:
        if instruction.name == "ld":
            return self._keeps_halves and instruction.space == "shared" and instruction.has("f32")
        return _widens(instruction) and any(map(self._is_loaded, registers_in(instruction.operands[1:])))

    def _is_byte(self, name: str) -> bool:
        known = self._definitions.of(name)
        narrow = all(one.name in ("ld", "cvt") and one.any_of(*_BYTES) for one in known)
        return bool(known) and narrow and self._is_loaded(name)


def _widens(instruction: Instruction) -> bool:
    if instruction.name == "cvt":
        return "f32" in instruction.modifiers and bool(instruction.any_of("f16", "bf16"))
    return instruction.name == "mov" and _is_shifted(instruction.operands[1])


def _is_shifted(operand: Operand) -> bool:
    """Whether an operand is `{0, half}`: a bfloat16 as the upper half of a float."""
    if not isinstance(operand, Vector) or len(operand.elements) != 2:
        return False
    low, high = operand.elements
    return isinstance(low, Number) and low.value == 0 and isinstance(high, Name)


def _only_zeros(instruction: Instruction) -> bool:
    """Whether the constants that an instruction passes on are zero."""
    numbers = [operand for operand in instruction.operands[1:] if isinstance(operand, Number)]
    return all(number.value == 0 for number in numbers)


def _loads(instruction: Instruction) -> bool:
    return instruction.name == "ld" and instruction.space not in ("param", "const", "local")


def _passes(instruction: Instruction) -> bool:
    return instruction.name in _THROUGH
