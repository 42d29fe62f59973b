"""Which instructions multiply elements of float16, bfloat16 or int8 as a matrix product does.

Both factors come from memory in such a type, perhaps widened first, and the product is added to something.
Tensor cores do this work if the products are those of matrices. A counting run counts the executions.
"""

from collections.abc import Iterable

from .definitions import Definitions, registers_in
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


def narrow_products(instruction: Instruction, definitions: Definitions) -> int:
    """Return how many products the instruction makes that tensor cores could make; 0 for most instructions."""
    if instruction.name == "dp4a":
        return 4
    if not _is_narrow_product(instruction, definitions):
        return 0
    return 2 if instruction.any_of("f16x2", "bf16x2") else 1


def _is_narrow_product(instruction: Instruction, definitions: Definitions) -> bool:
    if instruction.name not in ("fma", "mad", "mul"):
        return False
    factors = instruction.operands[1:3]
    names = set(registers_in(factors))
    if len(names) != 2:  # a square, or a constant factor
        return False
    if instruction.any_of(*_HALVES):
        return all(definitions.reaches(name, _loads, _passes) for name in names)
    if instruction.name == "mul":
        return False
    if "f32" in instruction.modifiers:
        return all(_is_widened_half(name, definitions) for name in names)
    if instruction.any_of("s32", "u32") and instruction.any_of("lo", "wide"):
        return all(_is_byte(name, definitions) for name in names)
    return False


def _is_widened_half(name: str, definitions: Definitions) -> bool:
    """Whether all values of a register are halves from memory, widened to float."""
    known = definitions.of(name)
    return bool(known) and all(
        _widens(instruction) and definitions.reaches(name, _loads, _passes) for instruction in known
    )


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


def _is_byte(name: str, definitions: Definitions) -> bool:
    def narrow(instruction: Instruction) -> bool:
        return instruction.name in ("ld", "cvt") and bool(instruction.any_of(*_BYTES))

    known = definitions.of(name)
    return bool(known) and all(map(narrow, known)) and definitions.reaches(name, _loads, _passes)


def _loads(instruction: Instruction) -> bool:
    return instruction.name == "ld" and instruction.space not in ("param", "const", "local")


def _passes(instruction: Instruction) -> bool:
    return instruction.name in _THROUGH
