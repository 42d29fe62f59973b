"""A position in a file's tokens, and what every level of the grammar needs: names, numbers, operands."""

import struct

from .errors import PtxSyntaxError
from .lexer import Tokens
from .syntax import Address, Arguments, Name, Number, Offset, Operand, Pair, Unary, Vector

DEEPEST_NESTING = 64
LONGEST_NUMBER_CHARACTERS = 80
LARGEST_INTEGER = (1 << 128) - 1
_CLOSERS = {"{": "}", "(": ")"}


class Cursor:
    """Reads tokens one after the other; raises PtxSyntaxError with the line when they make no sense."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._texts = [*tokens.texts, "", ""]  # sentinels: looking one ahead never runs off the end
        self._index = 0
        self._depth = 0

    @property
    def here(self) -> str:
        """The token at the cursor; empty at the end of the file."""
        return self._texts[self._index]

    @property
    def following(self) -> str:
        """The token after the one at the cursor."""
        return self._texts[self._index + 1]

    def fail(self, message: str) -> PtxSyntaxError:
        """An error at the cursor, to be raised."""
        return PtxSyntaxError(message, self._tokens.line(self._index))

    def take(self) -> str:
        """The token at the cursor, which moves on."""
        word = self._texts[self._index]
        if not word:
            raise self.fail("the file ends in the middle of a statement")
        self._index += 1
        return word

    def accept(self, word: str) -> bool:
        """Move over `word` when it is next."""
        if self._texts[self._index] != word:
            return False
        self._index += 1
        return True

    def expect(self, word: str) -> None:
        """Move over `word`, which must be next."""
        if not self.accept(word):
            raise self.fail(f"expected {word!r}, found {self.here[:40]!r}")

    def deeper(self) -> None:
        """Enter a nested construct; hostile files nest without end."""
        self._depth += 1
        if self._depth > DEEPEST_NESTING:
            raise self.fail(f"nested more than {DEEPEST_NESTING} deep")

    def shallower(self) -> None:
        """Leave a nested construct."""
        self._depth -= 1

    def name(self) -> str:
        """An identifier."""
        word = self.take()
        if not (word[0].isalpha() or word[0] in "_$%"):
            self._index -= 1
            raise self.fail(f"expected a name, found {word[:40]!r}")
        return word

    def string(self) -> str:
        """A quoted string, without its quotes."""
        word = self.take()
        if word[0] != '"':
            raise self.fail(f"expected a string, found {word[:40]!r}")
        return word[1:-1]

    def natural(self) -> int:
        """An integer that counts something."""
        negative = self.accept("-")
        number = self.number()
        if number.width or negative:
            raise self.fail("expected a natural number")
        return number.value

    def number(self) -> Number:
        """A constant. Source: PTX ISA 9.0, section 4.5."""
        word = self.take()
        if not word[0].isdigit() or len(word) > LONGEST_NUMBER_CHARACTERS:
            raise self.fail(f"expected a number, found {word[:40]!r}")
        prefix = word[:2].lower()
        if prefix == "0f":
            return Number(int(f"0x{word[2:]}", 16), 32)
        if prefix == "0d":
            return Number(int(f"0x{word[2:]}", 16), 64)
        if prefix != "0x" and ("." in word or "e" in word.lower()):
            return Number(struct.unpack("<Q", struct.pack("<d", float(word)))[0], 64)
        digits = word.rstrip("U")
        try:
            base = {"0x": 16, "0b": 2}.get(prefix, 8 if digits[0] == "0" and len(digits) > 1 else 10)
            value = int(digits, base)
        except ValueError:
            raise self.fail(f"not a number: {word!r}") from None
        if value > LARGEST_INTEGER:
            raise self.fail("this number needs more than 128 bits")
        return Number(value, 0)

    def signed_number(self) -> Number:
        """A constant with an optional sign."""
        if not self.accept("-"):
            self.accept("+")
            return self.number()
        number = self.number()
        if number.width:
            return Number(number.value ^ (1 << (number.width - 1)), number.width)
        return Number(-number.value, 0)

    def operand(self) -> Operand:
        """One operand of an instruction. Source: PTX ISA 9.0, section 6."""
        word = self.here
        if not word:
            raise self.fail("the file ends in the middle of an instruction")
        first = word[0]
        if first in "%$_" or first.isalpha():
            return self._symbol()
        if first == "[":
            return self._address()
        if first in "{(":
            elements = self._list(first)
            return Vector(elements) if first == "{" else Arguments(elements)
        if first == "!" or (first in "-~" and not self.following[:1].isdigit()):
            self.deeper()
            self._index += 1
            unary = Unary(first, self.operand())
            self.shallower()
            return unary
        return self.signed_number()

    def _symbol(self) -> Operand:
        name = Name(self.name())
        if self.here == "|":
            self._index += 1
            return Pair(name, Name(self.name()))
        if self.here in ("+", "-"):
            return Offset(name, self.signed_number().value)
        return name

    def _list(self, opener: str) -> tuple[Operand, ...]:
        self.deeper()
        self.expect(opener)
        closer = _CLOSERS[opener]
        elements: list[Operand] = []
        while not self.accept(closer):
            elements.append(self.operand())
            if self.here != closer:
                self.expect(",")
        self.shallower()
        return tuple(elements)

    def _address(self) -> Address:
        self.expect("[")
        base = Name(self.name()) if not self.here[:1].isdigit() else self.number()
        offset = 0
        while self.accept("+") or self.here == "-":
            offset += self.signed_number().value
        coordinates: tuple[Operand, ...] = ()
        if self.accept(","):
            operand = self.operand()
            coordinates = operand.elements if isinstance(operand, Vector) else (operand,)
        self.expect("]")
        return Address(base, offset, coordinates)
