"""Formulas of quizzes in floating point, such as `ceil(n / block) * block`, without `eval`.

`problems.formula` computes sizes of cases exactly, in integers. Here every value is a double: sums, products
and divisible quotients of whole numbers below 2**53 are exact too. Texts are short, and each operation takes
constant time, so neither parsing nor evaluating can take long.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from problems.formula import FormulaError
from problems.parsing import parse_expression

MAX_CHARACTERS = 300
LARGEST = 1e18
_CHARACTERS = re.compile(r"[A-Za-z0-9_+*/%().,<>=! -]*")
_RULE = "numbers, names, + - * / // % **, comparisons, 'x if a < b else y' and the functions"

_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: math.pow,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ONE_ARGUMENT: Mapping[str, Callable[[float], float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "log2": math.log2,
    "abs": abs,
}
_MORE_ARGUMENTS: Mapping[str, Callable[..., float]] = {"min": min, "max": max}
FUNCTIONS = (*_ONE_ARGUMENT, *_MORE_ARGUMENTS)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A parsed formula. A comparison is 1 if it holds and 0 if not."""

    text: str
    _tree: ast.expr = field(repr=False, compare=False)

    @classmethod
    def parse(cls, text: str) -> "Arithmetic":
        """Parse `text`.

        Raises:
            FormulaError: `text` is not such an expression.
        """
        if len(text) > MAX_CHARACTERS:
            raise FormulaError(f"{text[:40]!r}… is longer than {MAX_CHARACTERS} characters")
        if not _CHARACTERS.fullmatch(text):
            raise FormulaError(f"{text!r} may hold only {_RULE} {', '.join(FUNCTIONS)}")
        try:
            tree = parse_expression(text.strip())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise FormulaError(f"{text!r} is not an expression") from error
        _refuse_unknown(tree, text)
        return cls(text, tree)

    @property
    def names(self) -> frozenset[str]:
        """The names of the variables in the formula."""
        functions = {id(node.func) for node in ast.walk(self._tree) if isinstance(node, ast.Call)}
        names = (node for node in ast.walk(self._tree) if isinstance(node, ast.Name))
        return frozenset(name.id for name in names if id(name) not in functions)

    @property
    def is_name(self) -> bool:
        """Whether the formula is just the name of a variable."""
        return isinstance(self._tree, ast.Name)

    def value(self, variables: Mapping[str, float]) -> float:
        """Return its value, which is finite.

        Raises:
            FormulaError: a variable is missing, or the value is not a number or too large.
        """
        try:
            found = float(_evaluate(self._tree, variables))
        except KeyError as error:
            raise FormulaError(f"{self.text!r} uses the unknown variable {error}") from error
        except ZeroDivisionError as error:
            raise FormulaError(f"{self.text!r} divides by zero") from error
        except (ValueError, OverflowError) as error:
            raise FormulaError(f"{self.text!r} has no value") from error
        if not abs(found) <= LARGEST:  # also true for NaN
            raise FormulaError(f"{self.text!r} is larger than {LARGEST:g}")
        return found


def _refuse_unknown(tree: ast.expr, text: str) -> None:
    functions = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            functions.add(id(node.func))
            _check_call(node, text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if id(node) not in functions and node.id in FUNCTIONS:
                raise FormulaError(f"{text!r} uses the function {node.id!r} without arguments")
        elif isinstance(node, ast.Constant):
            _check_number(node.value, text)
        elif isinstance(node, ast.Compare):
            if len(node.ops) > 1:
                raise FormulaError(f"{text!r} chains comparisons; write one, with two sides")
        elif not isinstance(node, _KNOWN):
            raise FormulaError(f"{text!r} may hold only {_RULE} {', '.join(FUNCTIONS)}")


_KNOWN = (
    *(ast.BinOp, ast.UnaryOp, ast.USub, ast.Load, ast.Call, ast.IfExp),
    *_BINARY,
    *_COMPARISONS,
)


def _check_call(node: ast.Call, text: str) -> None:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in FUNCTIONS:
        raise FormulaError(f"{text!r} calls an unknown function; use one of {', '.join(FUNCTIONS)}")
    count = len(node.args)
    if node.keywords or (count != 1 if name in _ONE_ARGUMENT else count < 2):
        wanted = "one argument" if name in _ONE_ARGUMENT else "at least two arguments"
        raise FormulaError(f"{text!r}: {name} takes {wanted}")


def _check_number(value: object, text: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormulaError(f"{text!r} may hold only {_RULE} {', '.join(FUNCTIONS)}")
    if not abs(value) <= LARGEST:
        raise FormulaError(f"{text!r} holds a number larger than {LARGEST:g}")


def _evaluate(node: ast.expr, variables: Mapping[str, float]) -> float:  # noqa: PLR0911 - one kind a line
    match node:
        case ast.Constant(value=int(number) | float(number)):
            return float(number)
        case ast.Name(id=name):
            return variables[name]
        case ast.UnaryOp(operand=operand):
            return -_evaluate(operand, variables)
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_evaluate(left, variables), _evaluate(right, variables))
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return float(_COMPARISONS[type(sign)](_evaluate(left, variables), _evaluate(right, variables)))
        case ast.IfExp(test=test, body=body, orelse=other):
            return _evaluate(body if _evaluate(test, variables) else other, variables)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            values = [_evaluate(argument, variables) for argument in arguments]
            return float((_ONE_ARGUMENT.get(name) or _MORE_ARGUMENTS[name])(*values))
    raise AssertionError(f"{ast.dump(node)} passed the parser")
