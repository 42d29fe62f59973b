"""Selects the float32 subtractions that a counting run watches for catastrophic cancellation.

A subtraction is exact if its operands are close to each other. If an operand was rounded before, the result
is then mostly its rounding error. So a subtraction is watched if an operand is the result of float32
arithmetic, directly or through shared memory. Inputs of a program are exact, and so are differences of close
inputs.

A difference that is added to one of its operands only corrects this operand, as in `mean += (x - mean) / n`.
The rounding errors of the difference are then no larger than those of the operand, so it is not watched.
"""

from .definitions import Definitions, registers_in
from .syntax import Instruction, Name, Number, Unary

_ROUNDED = (
    *("add", "sub", "mul", "fma", "mad", "div", "rcp"),
    *("sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"),
)
_SCALES = ("mul", "div", "mov", "selp", "neg")
_THROUGH = ("mov", "selp", "min", "max", "neg", "abs", "shfl")
_SIGN = 0x80000000
_EXPONENT_BIAS, _FRACTION_BITS = 127, 23


def watched_subtraction(instruction: Instruction, definitions: Definitions) -> int | None:
    """The place of the operand from which is subtracted, None if `instruction` is not watched."""
    if "f32" not in instruction.modifiers or len(instruction.types) != 1:
        return None
    place = _minuend(instruction, definitions)
    if place is None or not any(_is_rounded(operand, definitions) for operand in instruction.operands[1:]):
        return None
    return None if _corrects_operand(instruction, definitions) else place


def _corrects_operand(instruction: Instruction, definitions: Definitions) -> bool:
    """Whether the result of a subtraction, scaled or not, is added to one of its operands."""
    result = instruction.operand(0)
    terms = instruction.operands[3:] if instruction.name in ("fma", "mad") else instruction.operands[1:]
    own = set(registers_in(terms))
    own |= {
        source
        for term in own
        for negation in definitions.of(term)
        if negation.name == "neg"
        for source in registers_in(negation.operands[1:])
    }
    if not isinstance(result, Name):
        return False
    for name, reader in definitions.ahead(result.text, lambda found: found.name in _SCALES):
        if reader.name not in ("add", "sub", "fma", "mad") or "f32" not in reader.modifiers:
            continue
        # Of a product and an addend, one is the correction and the other is what it corrects.
        addend = set(registers_in(reader.operands[3:]))
        if reader.name in ("fma", "mad"):
            corrected = set() if name in addend else addend
        else:
            corrected = set(registers_in(reader.operands[1:])) - {name}
        if corrected & own:
            return True
    return False


def _minuend(instruction: Instruction, definitions: Definitions) -> int | None:
    """The operand that is about as large as the other where both cancel; None if nothing is subtracted."""
    first = 1
    match instruction.name:
        case "sub":
            return first
        case "add" if any(_is_negative(operand, definitions) for operand in instruction.operands[1:]):
            # Either will do: where they cancel, they are about equal.
            return first if isinstance(instruction.operand(first), Name) else first + 1
        case "fma" | "mad" if isinstance(instruction.operand(3), Name) and any(
            _is_negative(operand, definitions) for operand in instruction.operands[1:]
        ):
            return 3
    return None


def _is_negative(operand: object, definitions: Definitions) -> bool:
    """Whether an operand is negated, or a negative integer. Other constants belong to series of functions."""
    if isinstance(operand, Number):
        return operand.width == 32 and bool(operand.value & _SIGN) and _is_integer(operand.value)
    if isinstance(operand, Unary):
        return operand.operator == "-"
    if not isinstance(operand, Name):
        return False
    return any(instruction.name == "neg" for instruction in definitions.of(operand.text))


def _is_integer(pattern: int) -> bool:
    """Whether the bits of a float are those of an integer that is not 0 and is below 2**23 in magnitude.

    To round to an integer, functions such as `expf` add and subtract larger constants. These do not count.
    """
    exponent = (pattern >> _FRACTION_BITS & 0xFF) - _EXPONENT_BIAS
    if not 0 <= exponent < _FRACTION_BITS:
        return False
    return not pattern & (1 << (_FRACTION_BITS - exponent)) - 1


def _is_rounded(operand: object, definitions: Definitions) -> bool:
    """Whether a register holds the result of arithmetic, or something out of shared memory."""
    if not isinstance(operand, Name):
        return False
    return definitions.reaches(operand.text, _rounds, lambda instruction: instruction.name in _THROUGH)


def _rounds(instruction: Instruction) -> bool:
    if instruction.name == "ld":
        return instruction.space == "shared"
    return instruction.name in _ROUNDED and "f32" in instruction.modifiers
