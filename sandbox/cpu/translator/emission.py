"""Helpers for the instruction tables to emit C++: operands, addresses, checks, locations."""

from collections import Counter

from .errors import UnsupportedForm
from .ptx_types import TYPES, Type
from .shared_bases import SharedBases
from .special import SPECIAL_REGISTERS
from .symbols import CppNames, FunctionSymbol, Register, Scopes, VariableSymbol
from .syntax import Address, Name, Number, Offset, Operand, Pair, Prototype, Targets, Unary, Vector
from .ways import Way

READ, WRITE, ATOMIC = "kRead", "kWrite", "kAtomic"
CACHED_READ = "kCachedRead"
POLLED_READ, POLLED_WRITE, RELAXED_READ = "kPolledRead", "kPolledWrite", "kRelaxedRead"
VOLATILE_READ, VOLATILE_WRITE = "kVolatileRead", "kVolatileWrite"
BLOCK_ATOMIC, BLOCK_POLLED_READ, BLOCK_POLLED_WRITE = "kBlockAtomic", "kBlockPolledRead", "kBlockPolledWrite"


class Unit:
    """State shared by all functions of a module: headers in use, access sites, counted branches.

    `counts_doubles` says whether arithmetic in double precision is listed, see `doubles`. The same holds for
    `counts_narrow_products` and `narrow_products`. `counters` are the names of additional counters of a
    counting run, see `families` and `branches`.
    """

    def __init__(
        self,
        *,
        counts_doubles: bool = False,
        counts_narrow_products: bool = False,
        counters: frozenset[str] = frozenset(),
    ) -> None:
        self.headers: set[str] = set()
        self.site_count = 0
        self.branch_count = 0
        self.counts_doubles = counts_doubles
        self.counts_narrow_products = counts_narrow_products
        self.counters = counters
        self.counted: list[tuple[str, int]] = []  # instructions, by kind and location
        self.starts: dict[str, int] = {}  # the location of the first instruction of each function
        self.calls: dict[str, set[tuple[str, int]]] = {}  # who calls a function, and where
        self.ways: list[Way] = []
        self.doubles: Counter[tuple[str, int]] = Counter()  # by kernel and location


class Emission:
    """Turns operands of one function into C++ expressions.

    Generated code has in scope `T` (Thread*), `W` (Frame, its cached fields), `P` (parameters), `Q` (result).
    """

    def __init__(self, unit: Unit, scopes: Scopes, names: CppNames) -> None:
        self.unit = unit
        self.scopes = scopes
        self.names = names
        self.location = 0
        self.file = ""  # that of the code itself, see `Locations`
        self.files: frozenset[str] = frozenset()  # likewise, with those of the functions around it
        self.uses_carry = False
        self.is_entry = False
        self.labels: list[dict[str, str]] = []  # per scope: PTX name → C++ name
        self.passed_labels: set[str] = set()  # by C++ name
        self.prototypes: dict[str, Prototype] = {}
        self.targets: dict[str, Targets] = {}
        # What an address in a register may lie in, by state space; the function declares those that are used.
        self.regions: dict[str, list[VariableSymbol]] = {"local": [], "param": []}
        self.used_regions: set[str] = set()
        self.shared_bases = SharedBases()
        self.looks_again = False  # this instruction, see `looks`
        self.copied: frozenset[str] = frozenset()  # see copied.py
        self.unset_masks: dict[str, str] = {}  # of these registers, by C++ name: the mask of unwritten bytes

    # --- operands -------------------------------------------------------------------------------------------

    def read(self, operand: Operand, kind: Type | str) -> str:
        """A C++ expression with the operand's value as `kind`.

        Raises:
            UnsupportedForm: when it has no such value.
        """
        wanted = TYPES[kind] if isinstance(kind, str) else kind
        if isinstance(operand, Name):
            return self._read_name(operand, wanted)
        if isinstance(operand, Number):
            return literal(operand, wanted)
        if isinstance(operand, Unary):
            inner = self.read(operand.operand, wanted)
            return f"{wanted.cpp}({operand.operator}{inner})"
        if isinstance(operand, Offset):
            base = self._read_name(operand.base, TYPES["u64"])
            return f"{wanted.cpp}({base} + {signed_literal(operand.addend)})"
        raise UnsupportedForm("an operand that is not a value")

    def _read_name(self, name: Name, wanted: Type) -> str:
        special = SPECIAL_REGISTERS.get(name.text)
        if special is not None:
            return f"{wanted.cpp}({special})"
        symbol = self.scopes.find(name.text)
        if isinstance(symbol, VariableSymbol):
            return f"{wanted.cpp}({symbol.address})"
        if isinstance(symbol, FunctionSymbol):
            return f"{wanted.cpp}(u64(&{symbol.cpp}))"
        return converted(symbol.cpp, symbol.type, wanted)

    def write(self, target: Operand, kind: Type | str, expression: str) -> str:
        """A C++ statement that stores `expression`, of type `kind`, into a register; `_` drops it."""
        if not isinstance(target, Name):
            raise UnsupportedForm("a destination that is not a register")
        if target.text == "_":
            return f"(void)({expression});"
        source = TYPES[kind] if isinstance(kind, str) else kind
        register = self.register(target)
        if register.type.cpp == source.cpp:
            return f"{register.cpp} = {expression};"
        return f"{register.cpp} = {converted(f'{source.cpp}({expression})', source, register.type)};"

    def register(self, operand: Operand) -> Register:
        """The register that an operand names."""
        symbol = self.scopes.find(operand.text) if isinstance(operand, Name) else None
        if not isinstance(symbol, Register):
            raise UnsupportedForm("a register is needed here")
        return symbol

    def unset(self, operand: Operand) -> str:
        """The C++ variable with the mask of a register's unwritten bytes; empty if it has none."""
        if not isinstance(operand, Name) or operand.text not in self.copied:
            return ""
        register = self.register(operand).cpp
        return self.unset_masks.setdefault(register, f"{register}_unset")

    def pair(self, operand: Operand) -> tuple[Operand, Operand]:
        """Return the two destinations in `d|p`; a single one is paired with the sink."""
        if isinstance(operand, Pair):
            return operand.first, operand.second
        return operand, Name("_")

    def elements(self, operand: Operand) -> tuple[Operand, ...]:
        """The elements of a vector, or the operand alone."""
        return operand.elements if isinstance(operand, Vector) else (operand,)

    # --- memory ---------------------------------------------------------------------------------------------

    def address(self, operand: Operand) -> str:
        """The address in `[base + offset]` as a C++ expression of type u64."""
        if not isinstance(operand, Address) or operand.coordinates:
            raise UnsupportedForm("an address is needed here")
        if isinstance(operand.base, Number):
            return f"u64({literal(operand.base, TYPES['u64'])} + {signed_literal(operand.offset)})"
        symbol = self.scopes.find(operand.base.text)
        if isinstance(symbol, VariableSymbol):
            base = symbol.address
        elif isinstance(symbol, Register):
            base = symbol.cpp if symbol.type.size_bytes == 8 else f"u32({symbol.cpp})"
        else:
            raise UnsupportedForm("the address of code")
        if not operand.offset:
            return f"u64({base})"
        if isinstance(symbol, Register) and symbol.type.size_bytes < 8:
            return f"u64(u32({base} + {signed_literal(operand.offset)}))"
        return f"({base} + {signed_literal(operand.offset)})"

    def pointer(self, operand: Operand, space: str, size_bytes: int, access: str) -> str:
        """A checked host address, u64, for an access of `size_bytes` in a state space."""
        address = self.address(operand)
        check = f"<{size_bytes}, Access::{access}>"
        variable = self._variable_around(operand, space, size_bytes)
        if variable and variable.space == "const":
            return f"constant<{size_bytes}>(W, {address}, {self.location})"
        if variable and variable.space != "global":
            return address
        if space == "shared":
            return self._within_shared(operand, check, address)
        if space in self.regions:
            return self._within(space, check, address)
        function = "inside" if variable else "global" if space else "generic"
        return f"{function}{check}(W, {self.new_site()}, {address}, {self.location})"

    def part_of_global(self, operand: Operand, size_bytes: int, count: str) -> str:
        """The same for the first `count` bytes in global memory, aligned to `size_bytes`."""
        address = self.address(operand)
        return f"part_of_global<{size_bytes}>(W, {self.new_site()}, {address}, {count}, {self.location})"

    def _within_shared(self, operand: Operand, check: str, address: str) -> str:
        """The address, checked against the array that it derives from, or else against all shared memory."""
        name = self.shared_bases.of(operand)
        symbol = self.scopes.find(name) if name else None
        if isinstance(symbol, VariableSymbol) and symbol.is_static:
            array = f"{symbol.address}, {symbol.size_bytes}"
            return f"shared_array{check}(W, {array}, {address}, {self.location})"
        return f"shared{check}(W, {address}, {self.location})"

    def _within(self, space: str, check: str, address: str) -> str:
        """The address, checked against the local arrays, or against the parameters and those of calls."""
        regions = self.regions[space]
        if space == "local" and not self.is_entry:
            return self._within_callers(check, address)
        if space == "local" and len(regions) == 1:
            (only,) = regions
            return f"local{check}(W, {only.address}, {only.size_bytes}, {address}, {self.location})"
        self.used_regions.add(space)
        parameter = "true" if space == "param" else "false"
        return f"within{check}(W, {space}_regions, {parameter}, {address}, {self.location})"

    def _within_callers(self, check: str, address: str) -> str:
        """The address, checked against the local arrays of a function, and the stack of its callers.

        nvcc gives an access the local space if all callers of the function pass addresses of local arrays.
        """
        self.used_regions.add("local")
        return f"within_callers{check}(W, local_regions, {address}, {self.location})"

    def new_site(self) -> int:
        """The number of a further place in the code that accesses memory."""
        self.unit.site_count += 1
        return self.unit.site_count - 1

    def _variable_around(self, operand: Operand, space: str, size_bytes: int) -> VariableSymbol | None:
        """The variable, if the address is one plus a constant that lies in it: its bounds need no check."""
        if not isinstance(operand, Address) or not isinstance(operand.base, Name) or space == "shared":
            return None
        symbol = self.scopes.find(operand.base.text)
        if (
            isinstance(symbol, VariableSymbol)
            and symbol.space != "shared"
            and 0 <= operand.offset <= symbol.size_bytes - size_bytes
            and not operand.offset % size_bytes
        ):
            return symbol
        return None

    # --- control --------------------------------------------------------------------------------------------

    def label(self, name: str) -> str:
        """The C++ label for a PTX label: that of the innermost scope which has one.

        Raises:
            UnsupportedForm: when there is none.
        """
        for labels in reversed(self.labels):
            if name in labels:
                return labels[name]
        raise UnsupportedForm(f"unknown label {name[:80]}")

    def jump(self, name: str) -> str:
        """Statements that branch to a label; backwards, the location is left for a deadline's message."""
        label = self.label(name)
        if label in self.passed_labels:
            return f"T->location = {self.location}; goto {label};"
        return f"goto {label};"

    def uses(self, header: str) -> None:
        """Include semantics_<header>.h."""
        self.unit.headers.add(header)


def converted(expression: str, source: Type, wanted: Type) -> str:
    """`expression` of PTX type `source` as the C++ type of `wanted`: bits are kept, integers are resized."""
    if source.cpp == wanted.cpp:
        return expression
    if "float" in (source.family, wanted.family):
        if source.size_bytes != wanted.size_bytes:
            raise UnsupportedForm(f"a .{source.name} register used as .{wanted.name}")
        return f"bits<{wanted.cpp}>({expression})"
    return f"{wanted.cpp}({expression})"


def literal(number: Number, wanted: Type) -> str:
    """A C++ literal of the C++ type of `wanted`."""
    if number.width:
        return _float_literal(number, wanted)
    if wanted.family == "float":
        return f"{wanted.cpp}({number.value})"
    if wanted.family == "pred":
        return "true" if number.value else "false"
    value = number.value & ((1 << wanted.bits) - 1)
    if wanted.size_bytes == 16:
        return f"((u128(0x{value >> 64:x}ull) << 64) | 0x{value & (1 << 64) - 1:x}ull)"
    text = f"{value}{'ull' if wanted.size_bytes == 8 else 'u'}"
    return text if wanted.cpp in ("u32", "u64") else f"{wanted.cpp}({text})"


def _float_literal(number: Number, wanted: Type) -> str:
    """The bits of a float constant, as a float when one is wanted."""
    suffix, real = ("u", "float") if number.width == 32 else ("ull", "double")
    pattern = f"0x{number.value:x}{suffix}"
    if wanted.family != "float":
        return f"{wanted.cpp}({pattern})"
    value = f"bits<{real}>({pattern})"
    return value if wanted.cpp == real else f"{wanted.cpp}({value})"


def signed_literal(value: int) -> str:
    """An addend for an address."""
    return f"u64({value}ll)" if -(1 << 63) < value < 1 << 63 else f"{value & (1 << 64) - 1}ull"
