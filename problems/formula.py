"""Formulas over a case's sizes, such as `rows - kernel_rows + 1`, without `eval`.

Their values are integers. Only scalars of a float dtype may also have fractions: `"0.01"`, `"alpha_milli /
1000"`.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from problems.parsing import parse_expression

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
Number = int | Fraction

MAX_CHARACTERS = 200
MAX_VALUE = 2**63 - 1
_CHARACTERS = re.compile(r"[A-Za-z0-9_+*/%(). -]*")


class FormulaError(ValueError):
    """Raised when a formula is not an integer expression over known sizes."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A parsed formula. Allowed: integers, size names, `+ - * // %`, parentheses and unary minus.

    Texts are short and have no powers, so that neither parsing nor evaluating can take long.
    """

    text: str
    _tree: ast.expr = field(repr=False, compare=False)

    @classmethod
    def parse(cls, text: str, *, fractions: bool = False) -> "Formula":
        """Parse `text`. With `fractions` it may also hold decimals and `/`.

        Raises:
            FormulaError: `text` is not such an expression.
        """
        if len(text) > MAX_CHARACTERS:
            raise FormulaError(f"{text[:40]!r}… is longer than {MAX_CHARACTERS} characters")
        if not _CHARACTERS.fullmatch(text):
            raise FormulaError(f"{text!r} may hold only integers, size names and + - * // %")
        try:
            tree = parse_expression(text)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise FormulaError(f"{text!r} is not an expression") from error
        for node in ast.walk(tree):
            _refuse_unknown(node, text, fractions=fractions)
        return cls(text, tree)

    @property
    def names(self) -> frozenset[str]:
        """The names of the sizes in the formula."""
        return frozenset(node.id for node in ast.walk(self._tree) if isinstance(node, ast.Name))

    def evaluate(self, sizes: Mapping[str, int]) -> int:
        """Return its value for `sizes`, an integer.

        Raises:
            FormulaError: a size is missing, a divisor is zero, or the value is not an integer of 64 bits.
        """
        value = self._value(sizes)
        if isinstance(value, Fraction) and value.denominator != 1:
            raise FormulaError(f"{self.text!r} is not an integer with these sizes")
        return int(value)

    def number(self, sizes: Mapping[str, int]) -> int | float:
        """Return its value for `sizes`, also with fractions. Raises FormulaError as `evaluate` does."""
        value = self._value(sizes)
        return float(value) if isinstance(value, Fraction) else value

    def _value(self, sizes: Mapping[str, int]) -> Number:
        try:
            value = _evaluate(self._tree, sizes)
        except KeyError as error:
            raise FormulaError(f"{self.text!r} uses the unknown size {error}") from error
        except ZeroDivisionError as error:
            raise FormulaError(f"{self.text!r} divides by zero") from error
        if not -MAX_VALUE <= value <= MAX_VALUE:
            raise FormulaError(f"{self.text!r} is too large with these sizes")
        return value


def _refuse_unknown(node: ast.AST, text: str, *, fractions: bool) -> None:
    known = (ast.BinOp, ast.UnaryOp, ast.USub, ast.Name, ast.Load, *_BINARY)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return
    if fractions and isinstance(node, ast.Div):
        return
    if fractions and isinstance(node, ast.Constant) and isinstance(node.value, float):
        if math.isfinite(node.value):
            return
        raise FormulaError(f"{text!r} holds a number that is too large")
    if not isinstance(node, known):
        raise FormulaError(f"{text!r} may hold only integers, size names and + - * // %")


def _evaluate(node: ast.expr, sizes: Mapping[str, int]) -> Number:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Constant(value=float(decimal)):
            return Fraction(repr(decimal))
        case ast.Name(id=name):
            return sizes[name]
        case ast.UnaryOp(operand=operand):
            return -_evaluate(operand, sizes)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return Fraction(_evaluate(left, sizes)) / _evaluate(right, sizes)
        case ast.BinOp(left=left, op=op, right=right):
            result: Number = _BINARY[type(op)](_evaluate(left, sizes), _evaluate(right, sizes))
            return result
    raise AssertionError(f"{ast.dump(node)} passed the parser")
