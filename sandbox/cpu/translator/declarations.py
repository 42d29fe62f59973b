"""Variables, parameters and initialisers.

Source: PTX ISA 9.0, sections 5.1 (state spaces), 5.4 (variables), 7.1 (parameters).
"""

from .cursor import Cursor
from .ptx_types import TYPES, Type
from .syntax import Number, Value, Variable

LARGEST_VARIABLE_BYTES = 1 << 36
LARGEST_INITIALISER_ELEMENTS = 1 << 24
LARGEST_ALIGNMENT_BYTES = 4096
PAGE_BYTES = 4096
_WHOLE_ADDRESS = -1


class Declarations:
    """Parses declarations at a cursor."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor

    def type(self) -> Type:
        """A fundamental type."""
        word = self._cursor.take()
        kind = TYPES.get(word[1:]) if word[0] == "." else None
        if kind is None:
            raise self._cursor.fail(f"expected a type, found {word[:40]!r}")
        return kind

    def attributes(self) -> bool:
        """`.attribute(.managed)`, `.attribute(.unified(…))`. Return whether the memory is managed."""
        cursor = self._cursor
        managed = False
        while cursor.accept(".attribute"):
            cursor.expect("(")
            depth = 1
            while depth:
                word = cursor.take()
                managed |= word == ".managed"
                depth += (word == "(") - (word == ")")
        return managed

    def variables(self, *, external: bool) -> tuple[Variable, ...]:
        """`.space .align n .type name[dims] = initialiser, … ;`."""
        cursor = self._cursor
        space = cursor.take()[1:].partition("::")[0]
        alignment_bytes, lanes, kind = self._shape()
        variables = [self._variable(space, alignment_bytes, lanes, kind, external=external)]
        while cursor.accept(","):
            variables.append(self._variable(space, alignment_bytes, lanes, kind, external=external))
        cursor.expect(";")
        return tuple(variables)

    def parameters(self) -> tuple[Variable, ...]:
        """`(.param .type name, …)`."""
        cursor = self._cursor
        cursor.expect("(")
        parameters: list[Variable] = []
        while not cursor.accept(")"):
            if cursor.take() != ".param":
                raise cursor.fail("expected .param")
            alignment_bytes, lanes, kind = self._shape()
            parameters.append(self._variable("param", alignment_bytes, lanes, kind, external=False))
            if cursor.here != ")":
                cursor.expect(",")
        return tuple(parameters)

    def _shape(self) -> tuple[int, int, Type]:
        """Alignment, vector length and type, in any order; `.ptr .space .align n` says nothing of use.

        Managed variables get pages of their own, which the runtime can close to host code.
        """
        cursor = self._cursor
        managed = False
        alignment_bytes, lanes = 0, 1
        kind: Type | None = None
        while cursor.here.startswith("."):
            word = cursor.here
            if word == ".attribute":
                managed |= self.attributes()
                continue
            cursor.take()
            if word == ".align":
                value = cursor.natural()
                if not 0 < value <= LARGEST_ALIGNMENT_BYTES or value & (value - 1):
                    raise cursor.fail(f"not an alignment: {value}")
                alignment_bytes = alignment_bytes if kind else value
            elif word in (".v2", ".v4", ".v8"):
                lanes = int(word[2:])
            elif word[1:] in TYPES:
                kind = TYPES[word[1:]]
            elif word not in (".ptr", ".global", ".shared", ".local", ".const", ".param"):
                raise cursor.fail(f"expected a type, found {word[:40]!r}")
        if kind is None:
            raise cursor.fail("a declaration without a type")
        if managed:
            return PAGE_BYTES, lanes, kind
        return alignment_bytes or kind.size_bytes * lanes, lanes, kind

    def _variable(
        self, space: str, alignment_bytes: int, lanes: int, kind: Type, *, external: bool
    ) -> Variable:
        cursor = self._cursor
        name = cursor.name()
        elements = lanes
        dimensions: list[int] = []
        while cursor.accept("["):
            dimensions.append(0 if cursor.here == "]" else cursor.natural())
            elements *= dimensions[-1]
            cursor.expect("]")
        if elements * kind.size_bytes > LARGEST_VARIABLE_BYTES:
            raise cursor.fail(f"{name[:80]} is larger than {LARGEST_VARIABLE_BYTES} bytes")
        values: list[Value] = []
        if cursor.accept("="):
            self._initialiser(values)
        if dimensions and not elements and values:
            elements = len(values)
        if len(values) > max(elements, 1):
            raise cursor.fail(f"{name[:80]} has more initial values than elements")
        return Variable(space, kind, name, elements, alignment_bytes, external, tuple(values))

    def _initialiser(self, values: list[Value]) -> None:
        cursor = self._cursor
        if not cursor.accept("{"):
            values.append(self._value())
            return
        cursor.deeper()
        while not cursor.accept("}"):
            self._initialiser(values)
            if len(values) > LARGEST_INITIALISER_ELEMENTS:
                raise cursor.fail("the initialiser is too long")
            if cursor.here != "}":
                cursor.expect(",")
        cursor.shallower()

    def _value(self) -> Value:
        """A constant, `symbol`, `generic(symbol)`, `0xFF00(symbol)`, each with `+ constant`."""
        cursor = self._cursor
        if cursor.here[:1].isdigit() or cursor.here in ("-", "+"):
            number = cursor.signed_number()
            if not cursor.accept("("):
                return Value(number, "", _WHOLE_ADDRESS)
            symbol = self._parenthesised()
            shift = (number.value & -number.value).bit_length() - 1
            return Value(Number(0, 0), symbol, shift)
        if cursor.here == "generic" and cursor.following == "(":
            cursor.take()
            cursor.take()
            symbol = self._parenthesised()
        else:
            symbol = cursor.name()
        addend = 0
        while cursor.here in ("+", "-"):
            addend += cursor.signed_number().value
        return Value(Number(addend, 0), symbol, _WHOLE_ADDRESS)

    def _parenthesised(self) -> str:
        """A symbol, possibly `generic(symbol)`, up to the closing bracket."""
        cursor = self._cursor
        name = cursor.name()
        if name == "generic" and cursor.accept("("):
            name = cursor.name()
            cursor.expect(")")
        cursor.expect(")")
        return name
