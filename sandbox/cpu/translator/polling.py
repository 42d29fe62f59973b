"""Finds kernels that may wait for another block, which restricts the order in which blocks start."""

from collections.abc import Iterable, Iterator

from .syntax import Function, Instruction, Number, Scope, Statement, Unary

_WITHIN_A_BLOCK = ("shared", "param", "local", "const")
_ALL_BITS = (-1, (1 << 32) - 1, (1 << 64) - 1)
_POLLED = ("volatile", "acquire", "relaxed", "mmio")


def polling(functions: Iterable[Function]) -> frozenset[str]:
    """Return the names of functions that may poll global memory, directly or through calls.

    Polling is a polled load, an exchange (which may take a lock), or an operation that changes nothing, such
    as `atomicAdd(&flag, 0)`. An indirect call may call any function of the module.
    """
    known = tuple(functions)
    looking = {function.name for function in known if any(map(_looks, instructions_of(function.body or ())))}
    if not any(function.name in looking for function in known if not function.is_entry):
        return frozenset(looking)
    calling = {
        function.name
        for function in known
        if any(instruction.name == "call" for instruction in instructions_of(function.body or ()))
    }
    return frozenset(looking | calling)


def _looks(instruction: Instruction) -> bool:
    if instruction.space in _WITHIN_A_BLOCK:
        return False
    if instruction.name == "ld":
        return bool(instruction.any_of(*_POLLED))
    if instruction.name != "atom":
        return False
    return bool(instruction.any_of("cas", "exch")) or _changes_nothing(instruction)


def _changes_nothing(instruction: Instruction) -> bool:
    operand = instruction.operands[-1] if instruction.operands else None
    if isinstance(operand, Unary) and operand.operator == "-" and isinstance(operand.operand, Number):
        return bool(instruction.any_of("and")) and operand.operand.value == 1
    if not isinstance(operand, Number):
        return False
    if instruction.any_of("and"):
        return operand.value in _ALL_BITS
    return operand.value == 0 and bool(instruction.any_of("add", "or", "xor", "max"))


def instructions_of(statements: Iterable[Statement]) -> Iterator[Instruction]:
    """The instructions of a body, those of its scopes included, in the order of the text."""
    for statement in statements:
        if isinstance(statement, Instruction):
            yield statement
        elif isinstance(statement, Scope):
            yield from instructions_of(statement.statements)
