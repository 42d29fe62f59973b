"""Detects modules that compute in double precision although they keep no doubles in memory.

A program that loads or stores doubles uses them intentionally. Otherwise, the usual cause is a literal or a
function without the suffix `f`, and a counting run reports the lines with such arithmetic.
"""

from collections.abc import Iterable

from .polling import instructions_of
from .syntax import Function, Instruction, Number

_ARITHMETIC = ("add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt", "rsqrt", "min", "max", "setp")
# sinf, cosf and tanf of very large arguments multiply by 2^-64 pi / 2 in double precision.
_REDUCTION = 0x3BF921FB54442D19
_ACCESSES = ("ld", "ldu", "st", "atom", "red")


def keeps_doubles(functions: Iterable[Function]) -> bool:
    """Whether the module has doubles in global or shared memory, or a kernel takes one as a parameter."""
    for function in functions:
        if function.is_entry and any(variable.type.name == "f64" for variable in function.parameters):
            return True
        if any(_moves_doubles(instruction) for instruction in instructions_of(function.body or ())):
            return True
    return False


def is_double_arithmetic(instruction: Instruction) -> bool:
    """Return whether the instruction uses the double precision units for the program's own computation."""
    if instruction.name not in _ARITHMETIC or "f64" not in instruction.modifiers:
        return False
    return not any(
        isinstance(operand, Number) and operand.value == _REDUCTION for operand in instruction.operands
    )


def _moves_doubles(instruction: Instruction) -> bool:
    if instruction.name not in _ACCESSES or "f64" not in instruction.modifiers:
        return False
    return instruction.space not in ("param", "local", "const")
