"""The kinds of instructions whose executions a counting run counts, for problems that ask for them.

A kind has the name of its counter in problem.toml. The instructions are those of the PTX that runs, before
ptxas has moved or combined any.
"""

from collections.abc import Callable, Mapping

from .doubles import is_double_arithmetic
from .syntax import Instruction

_SPECIAL = ("ex2", "lg2", "sin", "cos", "tanh", "rcp", "rsqrt", "sqrt")


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
}


def family_of(instruction: Instruction) -> str:
    """Return the kind of an instruction, empty if it has none."""
    return next((name for name, contains in FAMILIES.items() if contains(instruction)), "")
