"""Tokens → syntax tree: modules, functions and statements, by recursive descent.

Source: PTX ISA 9.0, chapters 4, 5.4 (variables), 7.1 (functions), 11 (directives).
"""

import math
from contextlib import suppress

from .cursor import Cursor
from .declarations import Declarations
from .lexer import tokenize
from .syntax import (
    MAX_THREADS,
    Function,
    Guard,
    Instruction,
    Label,
    Operand,
    Prototype,
    PtxModule,
    Registers,
    Scope,
    SourceLocation,
    Statement,
    Targets,
    Variable,
)

_LINKAGE = (".visible", ".extern", ".weak", ".common")
_SPACES = (".global", ".const", ".shared", ".local", ".param")
MOST_REGISTERS = 1 << 20
LONGEST_MASK_CHARACTERS = 20


def parse(text: str) -> PtxModule:
    """The syntax tree of a PTX file.

    Raises:
        PtxSyntaxError: when the text is not PTX, or too deep or too large.
    """
    return _Parser(Cursor(tokenize(text))).module()


class _Parser:
    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._declarations = Declarations(cursor)
        self._files: dict[int, str] = {}
        self._variables: list[Variable] = []
        self._functions: list[Function] = []
        self._aliases: dict[str, str] = {}
        self._opcodes: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._used_bytes = 0  # of the next instruction

    def module(self) -> PtxModule:
        while self._cursor.here:
            self._module_item()
        return PtxModule(self._files, tuple(self._variables), tuple(self._functions), self._aliases)

    def _module_item(self) -> None:
        cursor = self._cursor
        if self._common_directive() or cursor.accept(";"):
            return
        if cursor.accept(".version"):
            cursor.number()
        elif cursor.accept(".target"):
            cursor.name()
            while cursor.accept(","):
                cursor.name()
        elif cursor.accept(".address_size"):
            if cursor.natural() != 64:
                raise cursor.fail("only 64-bit addresses are supported")
        elif cursor.accept(".alias"):
            name = cursor.name()
            cursor.expect(",")
            self._aliases[name] = cursor.name()
            cursor.expect(";")
        else:
            self._symbol()

    def _symbol(self) -> None:
        cursor = self._cursor
        external = False
        while cursor.here in _LINKAGE:
            external |= cursor.take() == ".extern"
        if cursor.here in (".entry", ".func"):
            self._functions.append(self._function())
        elif cursor.here in _SPACES:
            self._variables.extend(self._declarations.variables(external=external))
        else:
            raise cursor.fail(f"unknown directive {cursor.here[:40]!r}")

    def _common_directive(self) -> bool:
        """Directives that stand anywhere: `.file`, `.pragma`."""
        cursor = self._cursor
        if cursor.accept(".file"):
            number = cursor.natural()
            self._files[number] = cursor.string()
            while cursor.accept(","):  # time stamp and size
                cursor.natural()
            return True
        if cursor.accept(".pragma"):
            self._pragma(cursor.string())
            while cursor.accept(","):
                self._pragma(cursor.string())
            cursor.expect(";")
            return True
        return False

    def _pragma(self, text: str) -> None:
        """Note the mask of `used_bytes_mask`. Source: PTX ISA 9.0, section 11.4 (.pragma)."""
        name, _, mask = text.partition(" ")
        digits = mask.strip().removeprefix("0x")
        if name == "used_bytes_mask" and digits.isalnum() and len(digits) < LONGEST_MASK_CHARACTERS:
            with suppress(ValueError):
                self._used_bytes = int(mask, 0)

    def _function(self) -> Function:
        cursor = self._cursor
        is_entry = cursor.take() == ".entry"
        self._declarations.attributes()
        results = self._declarations.parameters() if cursor.here == "(" else ()
        name = cursor.name()
        parameters = self._declarations.parameters() if cursor.here == "(" else ()
        max_threads = MAX_THREADS
        while cursor.here not in ("{", ";"):
            max_threads = min(max_threads, self._function_directive())
        body = None if cursor.accept(";") else self._block()
        return Function(name, is_entry, results, parameters, body, max_threads)

    def _function_directive(self) -> int:
        """Read `.maxntid 256, 1, 1` or the like, and return the threads per block that it allows."""
        cursor = self._cursor
        if self._common_directive():
            return MAX_THREADS
        word = cursor.take()
        if word[0] != "." or word in (".reg", *_SPACES):
            raise cursor.fail(f"expected the body of a function, found {word[:40]!r}")
        numbers: list[int] = []
        while cursor.here[:1].isdigit():
            numbers.append(cursor.natural())
            cursor.accept(",")
        return math.prod(numbers) if word in (".maxntid", ".reqntid") and numbers else MAX_THREADS

    def _block(self) -> tuple[Statement, ...]:
        cursor = self._cursor
        cursor.deeper()
        cursor.expect("{")
        statements: list[Statement] = []
        while not cursor.accept("}"):
            statement = self._statement()
            if statement is not None:
                statements.extend(statement)
        cursor.shallower()
        return tuple(statements)

    def _statement(self) -> tuple[Statement, ...] | None:
        cursor = self._cursor
        word = cursor.here
        if not word:
            raise cursor.fail("a '{' is never closed")
        if word[0] == ".":
            return self._directive(word)
        if word == "{":
            return (Scope(self._block()),)
        if word == ";":
            cursor.take()
            return None
        if cursor.following == ":":
            return (self._labelled(),)
        return (self._instruction(),)

    def _directive(self, word: str) -> tuple[Statement, ...] | None:
        cursor = self._cursor
        if word == ".loc":
            return (self._location(),)
        if word == ".reg":
            return (self._registers(),)
        if word in _SPACES or word in _LINKAGE:
            external = False
            while cursor.here in _LINKAGE:
                external |= cursor.take() == ".extern"
            return self._declarations.variables(external=external)
        if self._common_directive():
            return None
        raise cursor.fail(f"unknown directive {word[:40]!r}")

    def _location(self) -> SourceLocation:
        cursor = self._cursor
        cursor.expect(".loc")
        place = (cursor.natural(), cursor.natural(), cursor.natural())
        inlined_at = None
        while cursor.accept(","):
            kind = cursor.name()
            if kind == "function_name":
                cursor.name()
                if cursor.accept("+"):
                    cursor.natural()
            elif kind == "inlined_at":
                inlined_at = (cursor.natural(), cursor.natural(), cursor.natural())
            else:
                raise cursor.fail(f"unknown attribute of .loc: {kind[:40]!r}")
        return SourceLocation(*place, inlined_at)

    def _registers(self) -> Registers:
        cursor = self._cursor
        cursor.expect(".reg")
        if cursor.here in (".v2", ".v4"):
            raise cursor.fail("vector registers are not supported")
        kind = self._declarations.type()
        names: list[tuple[str, int]] = []
        while True:
            name = cursor.name()
            count = 0
            if cursor.accept("<"):
                count = cursor.natural()
                if not 0 < count <= MOST_REGISTERS:
                    raise cursor.fail(f"expected 1 to {MOST_REGISTERS} registers")
                cursor.expect(">")
            names.append((name, count))
            if not cursor.accept(","):
                break
        cursor.expect(";")
        return Registers(kind, tuple(names))

    def _labelled(self) -> Statement:
        cursor = self._cursor
        name = cursor.name()
        cursor.expect(":")
        if cursor.accept(".callprototype"):
            results = self._declarations.parameters() if cursor.here == "(" else ()
            cursor.name()
            parameters = self._declarations.parameters() if cursor.here == "(" else ()
            while cursor.here.startswith("."):  # .noreturn
                cursor.take()
            cursor.expect(";")
            return Prototype(name, results, parameters)
        if cursor.here in (".branchtargets", ".calltargets"):
            cursor.take()
            labels = [cursor.name()]
            while cursor.accept(","):
                labels.append(cursor.name())
            cursor.expect(";")
            return Targets(name, tuple(labels))
        return Label(name)

    def _instruction(self) -> Instruction:
        cursor = self._cursor
        guard = None
        if cursor.accept("@"):
            negated = cursor.accept("!")
            guard = Guard(cursor.name(), negated)
        opcode = cursor.name()
        parts = self._opcodes.get(opcode)
        if parts is None:
            name, *modifiers = opcode.split(".")
            parts = self._opcodes[opcode] = (name, tuple(modifiers))
        if cursor.accept(";"):
            return Instruction(*parts, (), guard)
        used_bytes, self._used_bytes = self._used_bytes, 0
        operands: list[Operand] = [cursor.operand()]
        while cursor.accept(","):
            operands.append(cursor.operand())
        cursor.expect(";")
        return Instruction(*parts, tuple(operands), guard, used_bytes)
