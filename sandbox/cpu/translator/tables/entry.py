"""Building blocks of the instruction tables."""

from collections.abc import Callable
from typing import NamedTuple

from ..emission import Emission
from ..ptx_types import TYPES, Type, signed, unsigned
from ..syntax import Instruction

Emit = Callable[[Emission, Instruction], str]


class InstructionEntry(NamedTuple):
    """One instruction, or one family of its forms.

    Attributes:
        name: the opcode's first part.
        section: where PTX ISA 9.0 defines it.
        syntax: the forms, as in that section.
        emit: gives the C++ statements.
        types: the types of the sources that it accepts; empty: any.
        needs: modifiers of which one must be there; empty: none needed.
        header: semantics_<header>.h that the statements need.
        note: where the result may differ from a GPU's.
    """

    name: str
    section: str
    syntax: str
    emit: Emit
    types: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    header: str = ""
    note: str = ""

    def accepts(self, instruction: Instruction) -> bool:
        """Whether this entry is the one for the instruction."""
        if self.needs and self.needs.isdisjoint(instruction.modifiers):
            return False
        if not self.types:
            return True
        types = instruction.types
        return bool(types) and types[-1].name in self.types


def resolve(role: str, kind: Type) -> Type:
    """The type of an operand: `t` the instruction's, `U`/`S` its unsigned or signed twin, or a type."""
    if role == "t":
        return kind
    if role == "U":
        return unsigned(kind)
    if role == "S":
        return signed(kind)
    return TYPES[role]


def expression(template: str, *, sources: str = "t t t t", result: str = "t") -> Emit:
    """An instruction whose result is one C++ expression of its sources.

    Args:
        template: with {a} {b} {c} {d} for the sources, {T} {U} for the C++ type and its unsigned twin,
            {bits} for the width, {loc} for the location.
        sources: the role of each source, see `resolve`.
        result: the role of the destination.
    """
    roles = sources.split()

    def emit(code: Emission, instruction: Instruction) -> str:
        kind = instruction.type
        operands = instruction.operands[1:]
        values = {
            letter: code.read(operand, resolve(role, kind))
            for letter, operand, role in zip("abcd", operands, roles, strict=False)
        }
        text = template.format(
            **values,
            T=kind.cpp,
            U=unsigned(kind).cpp,
            bits=kind.bits,
            loc=code.location,
        )
        return code.write(instruction.operand(0), resolve(result, kind), text)

    return emit


def choose(instruction: Instruction, **emitters: Emit) -> Emit | None:
    """The emitter whose keyword is among the instruction's modifiers."""
    return next((emit for modifier, emit in emitters.items() if modifier in instruction.modifiers), None)
