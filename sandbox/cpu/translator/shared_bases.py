"""Finds the shared array from which an address derives, so that the bounds of this array are checked.

An address derives from an array if it is a sum in which one term is the name of the array, and the other
terms derive from no array. An address that may derive from several arrays, or from other arithmetic, is
checked against the shared memory of the block. So is an address from memory, a parameter or a call.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from .definitions import registers_in
from .polling import instructions_of
from .syntax import (
    Address,
    Function,
    Instruction,
    Name,
    Number,
    Offset,
    Operand,
    Scope,
    Statement,
    Variable,
)

_NONE, _MIXED = "", "*"  # derives from no array; cannot be told
_PASS = ("mov", "cvt", "cvta")
_SUMS = ("add", "or")  # nvcc adds a constant to an aligned address by `or`
_PRODUCTS = ("mad", "mad24")
_CHOICES = ("selp", "slct")
_ELSEWHERE = ("ld", "ldu", "atom", "call", "tex", "tld4", "suld", "setp")  # what these write is no such sum


class SharedBases:
    """The arrays behind the registers of `function`. `common` are the shared variables of the module."""

    def __init__(self, function: Function | None = None, common: Iterable[str] = ()) -> None:
        body = (function.body if function else None) or ()
        own = Counter(_declared(body))
        inner = set(own) - {statement.name for statement in body if isinstance(statement, Variable)}
        several = {name for name, count in own.items() if count > 1}
        self._variables = {name: _MIXED if name in inner | several else name for name in (*common, *own)}
        self._written: set[str] = set()
        self._bases: dict[str, str] = {}  # by register, without those of which nothing is known yet
        if self._variables:
            self._follow(list(instructions_of(body)))

    def of(self, address: Operand) -> str | None:
        """Return the name of the array that `address` derives from, None if it cannot be told."""
        base = self._base(address)
        return base if base not in (_NONE, _MIXED) else None

    def _follow(self, instructions: list[Instruction]) -> None:
        users: dict[str, list[Instruction]] = {}
        for instruction in instructions:
            self._written.update(registers_in(instruction.operands[:1]))
            for name in set(registers_in(instruction.operands[1:], in_addresses=True)):
                users.setdefault(name, []).append(instruction)
        waiting = list(reversed(instructions))
        while waiting:
            instruction = waiting.pop()
            base = self._result(instruction)
            if base is None:
                continue
            for name in registers_in(instruction.operands[:1]):
                joined = _joined(self._bases.get(name), base)
                if joined != self._bases.get(name):
                    self._bases[name] = joined
                    waiting += users.get(name, ())

    def _result(self, instruction: Instruction) -> str | None:
        """Return the array that the instruction's result derives from, None if that is not known yet."""
        sources = instruction.operands[1:]
        if instruction.name in _ELSEWHERE or not sources:
            return _NONE
        if instruction.name in _CHOICES:
            sources = sources[:2]
        bases = [self._base(source) for source in sources]
        known = [base for base in bases if base is not None]
        if instruction.name in _CHOICES:
            return _joined(*known) if len(known) == len(bases) == 2 else None
        derived = [place for place, base in enumerate(bases) if base not in (None, _NONE)]
        if not derived:
            return _NONE if len(known) == len(bases) else None
        (first, *others) = derived
        if others or len(known) < len(bases):
            return _MIXED if others else None
        return known[first] if _is_term(instruction, first, sources) else _MIXED

    def _base(self, operand: Operand) -> str | None:
        match operand:
            case Name(text):
                if text in self._variables:
                    return self._variables[text]
                return self._bases.get(text) if text in self._written else _NONE
            case Offset(base, _) | Address(Name() as base, _, ()):
                return self._base(base)
        names = [self._base(Name(name)) for name in registers_in((operand,), in_addresses=True)]
        if all(name == _NONE for name in names):
            return _NONE
        return None if None in names else _MIXED


def _is_term(instruction: Instruction, place: int, sources: tuple[Operand, ...]) -> bool:
    """Whether the source at `place` is one term of the sum that the instruction computes."""
    if instruction.name == "sub":
        return place == 0 and all(isinstance(source, Number) for source in sources[1:])
    if instruction.name in _PRODUCTS:
        return place == 2
    return instruction.name in _SUMS or (instruction.name in _PASS and len(sources) == 1)


def _joined(one: str | None, other: str) -> str:
    return other if one in (None, other) else _MIXED


def _declared(statements: Iterable[Statement]) -> Iterator[str]:
    """The names of shared variables that a body declares, in all its scopes."""
    for statement in statements:
        if isinstance(statement, Variable) and statement.space == "shared":
            yield statement.name
        elif isinstance(statement, Scope):
            yield from _declared(statement.statements)
