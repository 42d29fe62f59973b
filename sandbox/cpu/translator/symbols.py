"""Resolves names and assigns C++ names."""

import re
from typing import NamedTuple

from .errors import UnsupportedForm
from .ptx_types import Type
from .syntax import Function, Variable

_FOREIGN = re.compile(r"\W")
_NUMBERED = re.compile(r"(.*?)(0|[1-9]\d*)$")


class Register(NamedTuple):
    """A register: a C++ local."""

    cpp: str
    type: Type


class VariableSymbol(NamedTuple):
    """A variable in memory. `address` is a C++ expression of type u64 (an offset for shared memory)."""

    address: str
    space: str
    size_bytes: int
    is_static: bool = True  # False: the launch gives the size


class FunctionSymbol(NamedTuple):
    """A function whose address may be taken."""

    cpp: str
    function: Function


Symbol = Register | VariableSymbol | FunctionSymbol


def is_shared(symbol: Symbol) -> bool:
    """Whether it is a variable in shared memory."""
    return isinstance(symbol, VariableSymbol) and symbol.space == "shared"


class CppNames:
    """Assigns a unique C++ name to every PTX name: `$L__BB0_2` becomes `L_L__BB0_2`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def fresh(self, prefix: str, ptx_name: str) -> str:
        """A C++ identifier that nothing else has."""
        stem = f"{prefix}_{_FOREIGN.sub('_', ptx_name).lstrip('_')}"
        name, number = stem, 1
        while name in self._taken:
            number += 1
            name = f"{stem}__{number}"
        self._taken.add(name)
        return name


class Scopes:
    """The nested scopes of one function, innermost last, in front of the module's symbols."""

    def __init__(self, names: CppNames, module: dict[str, Symbol]) -> None:
        self._names = names
        self._module = module
        self._scopes: list[dict[str, Symbol]] = []
        self._ranges: list[dict[str, tuple[int, Type]]] = []
        self.registers: dict[str, list[str]] = {}  # C++ type → locals to declare
        self.enter()

    def enter(self) -> None:
        """Open a scope."""
        self._scopes.append({})
        self._ranges.append({})

    def leave(self) -> None:
        """Close the innermost scope."""
        self._scopes.pop()
        self._ranges.pop()

    def define(self, name: str, symbol: Symbol) -> None:
        """Bind a name in the innermost scope."""
        self._scopes[-1][name] = symbol

    def define_registers(self, kind: Type, name: str, count: int) -> None:
        """`.reg`: a range `%r<47>` costs nothing until one of it is used."""
        self._ranges[-1][name] = (count, kind)
        if not count:
            self._scopes[-1][name] = self._new_register(name, kind)

    def find(self, name: str) -> Symbol:
        """The meaning of a name.

        Raises:
            UnsupportedForm: when it has none.
        """
        numbered = _NUMBERED.match(name)
        for scope, ranges in zip(reversed(self._scopes), reversed(self._ranges), strict=True):
            if name in scope:
                return scope[name]
            if numbered is not None:
                count, kind = ranges.get(numbered[1], (0, None))
                if kind is not None and len(numbered[2]) < 8 and int(numbered[2]) < count:
                    scope[name] = self._new_register(name, kind)
                    return scope[name]
        if name in self._module:
            return self._module[name]
        raise UnsupportedForm(f"unknown name {name[:80]}")

    def _new_register(self, name: str, kind: Type) -> Register:
        cpp = self._names.fresh("r", name)
        self.registers.setdefault(kind.cpp, []).append(cpp)
        return Register(cpp, kind)


class Layout(NamedTuple):
    """Assigns consecutive offsets to variables: parameters, shared memory."""

    offsets: tuple[int, ...]
    size_bytes: int


def lay_out(variables: tuple[Variable, ...], start: int = 0) -> Layout:
    """Offsets by size and alignment, in order, from `start`."""
    offsets = []
    end = start
    for variable in variables:
        offset = -(-end // variable.alignment_bytes) * variable.alignment_bytes
        offsets.append(offset)
        end = offset + variable.size_bytes
    return Layout(tuple(offsets), end)
