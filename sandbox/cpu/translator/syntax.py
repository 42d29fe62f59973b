"""The syntax tree of a PTX module.

Source: PTX ISA 9.0, chapters 4 (syntax), 5 (state spaces, types, variables), 6 (operands), 11 (directives).
"""

from typing import NamedTuple

from .errors import UnsupportedForm
from .ptx_types import STATE_SPACES, TYPES, Type

MAX_THREADS = 1024  # per block

# --- operands -----------------------------------------------------------------------------------------------


class Name(NamedTuple):
    """A register, a special register, a label or another symbol; `_` is the sink."""

    text: str


class Number(NamedTuple):
    """A constant: an integer, or the bits of a float (`width` 32 or 64; 0 for an integer)."""

    value: int
    width: int


class Unary(NamedTuple):
    """`!p`, `-x` or `~x`."""

    operator: str
    operand: "Operand"


class Offset(NamedTuple):
    """`symbol + constant`."""

    base: Name
    addend: int


class Address(NamedTuple):
    """`[base + offset]`; a tensor or texture address has coordinates as well."""

    base: Name | Number
    offset: int
    coordinates: tuple["Operand", ...]


class Vector(NamedTuple):
    """`{a, b, c, d}`."""

    elements: tuple["Operand", ...]


class Pair(NamedTuple):
    """`d|p`: a value and a predicate, or two predicates."""

    first: "Operand"
    second: "Operand"


class Arguments(NamedTuple):
    """`(a, b)` of a call."""

    elements: tuple["Operand", ...]


Operand = Name | Number | Unary | Offset | Address | Vector | Pair | Arguments

# --- statements ---------------------------------------------------------------------------------------------


class Guard(NamedTuple):
    """`@p` or `@!p`."""

    register: str
    negated: bool


class Instruction(NamedTuple):
    """One instruction. `modifiers` are the opcode's parts after its name, without dots.

    `used_bytes` is the mask of the bytes of a load that the program uses, 0 if the PTX does not say it.
    """

    name: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Guard | None
    used_bytes: int = 0

    def has(self, modifier: str) -> bool:
        """Whether the opcode carries this modifier."""
        return modifier in self.modifiers

    def any_of(self, *modifiers: str) -> str:
        """The first of `modifiers` that the opcode carries, or the empty string."""
        return next((modifier for modifier in modifiers if modifier in self.modifiers), "")

    def operand(self, index: int) -> Operand:
        """The operand at `index`.

        Raises:
            UnsupportedForm: when there is none.
        """
        try:
            return self.operands[index]
        except IndexError:
            raise UnsupportedForm(self.opcode) from None

    @property
    def opcode(self) -> str:
        """The opcode as written."""
        return ".".join((self.name, *self.modifiers))

    @property
    def types(self) -> list[Type]:
        """All types in the opcode, in order."""
        return [TYPES[modifier] for modifier in self.modifiers if modifier in TYPES]

    @property
    def type(self) -> Type:
        """The last type in the opcode: the one of the sources.

        Raises:
            UnsupportedForm: when the opcode has no type.
        """
        types = self.types
        if not types:
            raise UnsupportedForm(self.opcode)
        return types[-1]

    @property
    def space(self) -> str:
        """The state space of the access; empty for a generic address."""
        for modifier in self.modifiers:
            space = modifier.partition("::")[0]
            if space in STATE_SPACES:
                return space
        return ""


class Label(NamedTuple):
    """`name:`."""

    name: str


class SourceLocation(NamedTuple):
    """`.loc`: file number, line and column, and where that was inlined."""

    file: int
    line: int
    column: int
    inlined_at: tuple[int, int, int] | None


class Registers(NamedTuple):
    """`.reg .type names`; a count of 0 is the plain name, otherwise name0 … name(count-1)."""

    type: Type
    names: tuple[tuple[str, int], ...]


class Variable(NamedTuple):
    """A variable in a state space. `values` is the flat initialiser."""

    space: str
    type: Type
    name: str
    elements: int
    alignment_bytes: int
    external: bool
    values: tuple["Value", ...]

    @property
    def size_bytes(self) -> int:
        """Bytes in all; 0 for an unsized extern array."""
        return self.type.size_bytes * self.elements


class Value(NamedTuple):
    """One element of an initialiser: a constant, or a symbol's address plus a constant."""

    number: Number
    symbol: str
    mask_shift: int  # of `0xFF00(symbol)` forms: which byte of the address; -1 for a whole address


class Prototype(NamedTuple):
    """`name: .callprototype`: the shape of an indirect call."""

    name: str
    results: tuple[Variable, ...]
    parameters: tuple[Variable, ...]


class Targets(NamedTuple):
    """`name: .branchtargets labels` (or .calltargets)."""

    name: str
    labels: tuple[str, ...]


class Scope(NamedTuple):
    """`{ … }`."""

    statements: tuple["Statement", ...]


Statement = Instruction | Label | SourceLocation | Registers | Variable | Prototype | Targets | Scope

# --- module -------------------------------------------------------------------------------------------------


class Function(NamedTuple):
    """`.entry` or `.func`; a declaration has no body."""

    name: str
    is_entry: bool
    results: tuple[Variable, ...]
    parameters: tuple[Variable, ...]
    body: tuple[Statement, ...] | None
    max_threads: int = MAX_THREADS  # per block, by __launch_bounds__


class PtxModule(NamedTuple):
    """A PTX file."""

    files: dict[int, str]
    variables: tuple[Variable, ...]
    functions: tuple[Function, ...]
    aliases: dict[str, str]
