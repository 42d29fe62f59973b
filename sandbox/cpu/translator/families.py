"""The kinds of instructions that a counting run counts if a problem requires it.

A kind has the name of its counter in problem.toml. The instructions are those of the executed PTX, before
ptxas moves or combines them.
"""

from collections.abc import Callable, Mapping

from .doubles import is_double_arithmetic
from .syntax import Instruction, Number

_SPECIAL = ("ex2", "lg2", "sin", "cos", "tanh", "rcp", "rsqrt", "sqrt")


_PRODUCTS = ("mul", "mul24", "mad", "mad24", "madc", "fma", "div")


def _is_multiplication(instruction: Instruction) -> bool:
    """Return whether two registers are multiplied or divided. Factors that are constants scale indices."""
    return instruction.name in _PRODUCTS and not any(
        isinstance(operand, Number) for operand in instruction.operands[1:3]
    )


def _is_async_copy(instruction: Instruction) -> bool:
    if instruction.name != "cp" or "async" not in instruction.modifiers:
        return False
    waits = instruction.any_of("commit_group", "wait_group", "wait_all", "prefetch")
    return not waits and (not instruction.has("mbarrier") or instruction.has("bulk"))


FAMILIES: Mapping[str, Callable[[Instruction], bool]] = {
    "tensor_instructions": lambda i: i.name == "mma" or (i.name == "wmma" and i.has("mma")),
    "ldmatrix_instructions": lambda i: i.name == "ldmatrix",
    "async_copy_instructions": _is_async_copy,
    "shuffle_instructions": lambda i: i.name == "shfl",
    "reduction_instructions": lambda i: i.name == "redux",
    "dot_product_instructions": lambda i: i.name in ("dp4a", "dp2a"),
    "texture_instructions": lambda i: i.name in ("tex", "tld4"),
    "special_instructions": lambda i: i.name in _SPECIAL and i.has("approx"),
    "double_instructions": is_double_arithmetic,
    "fma_instructions": lambda i: i.name in ("fma", "mad") and bool(i.any_of("f32", "f32x2")),
    # A generic address may be one of shared memory.
    "shared_load_instructions": lambda i: i.name == "ld" and i.space in ("", "shared"),
    "multiply_instructions": _is_multiplication,
}


def families_of(instruction: Instruction) -> tuple[str, ...]:
    """Return the kinds of an instruction, in a fixed order. Most instructions have none."""
    return tuple(name for name, contains in FAMILIES.items() if contains(instruction))
