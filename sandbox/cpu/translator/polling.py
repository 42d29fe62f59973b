"""Whether a kernel may wait for what another block does, which restricts the order that blocks start in."""

from collections.abc import Iterable, Iterator

from .syntax import Function, Instruction, Scope, Statement

_WITHIN_A_BLOCK = ("shared", "param", "local", "const")
_POLLED = ("volatile", "acquire", "relaxed", "mmio")


def polling(functions: Iterable[Function]) -> frozenset[str]:
    """The names of those that look at global memory as one does in a loop, or call what may do so.

    A look is a polled load, or an exchange, which may take a lock. A call may be one of any function of
    the module.
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
    return instruction.name == "atom" and bool(instruction.any_of("cas", "exch"))


def instructions_of(statements: Iterable[Statement]) -> Iterator[Instruction]:
    """The instructions of a body, those of its scopes included, in the order of the text."""
    for statement in statements:
        if isinstance(statement, Instruction):
            yield statement
        elif isinstance(statement, Scope):
            yield from instructions_of(statement.statements)
