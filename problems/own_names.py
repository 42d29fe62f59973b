"""Rewrites formulas over the sizes of cases as formulas over the arguments of `solve`.

Theory of operation. The formulas of a package may use sizes that programs never see. For example, with the
sizes `groups` and `half`, the argument `k` is `2 * groups * half` and `group` is `2 * half`. Learners only
know the arguments. So each size is expressed by arguments: `half` is `group / 2`, and then `groups` is `k /
group`. Then each formula is simplified as a sum of products, so that `groups * half` becomes `k // 2`. A
product of sums is not changed.
"""

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from problems.formula import Formula
from problems.parsing import parse_expression
from problems.schema import Argument

# The factors of a product, with their exponents, in the order of their first use.
_Product = tuple[tuple[str, int], ...]
_Binary = Callable[["_Sum", "_Sum"], "_Sum"]


class _Unknown(Exception):
    """Raised when a formula needs a size that the arguments do not determine."""


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum of products with rational factors."""

    terms: Mapping[_Product, Fraction]

    @classmethod
    def of(cls, atom: str) -> "_Sum":
        return cls({((atom, 1),): Fraction(1)})

    @classmethod
    def number(cls, value: int | Fraction) -> "_Sum":
        return cls({(): Fraction(value)} if value else {})

    def constant(self) -> Fraction | None:
        """Its value if it has no names."""
        return self.terms.get((), Fraction(0)) if not set(self.terms) - {()} else None

    def plus(self, other: "_Sum") -> "_Sum":
        terms = dict(self.terms)
        for product, factor in other.terms.items():
            terms[product] = terms.get(product, Fraction(0)) + factor
        return _Sum({product: factor for product, factor in terms.items() if factor})

    def scaled(self, by: Fraction) -> "_Sum":
        return _Sum({product: factor * by for product, factor in self.terms.items() if by})

    def times(self, other: "_Sum") -> "_Sum":
        for one, two in ((self, other), (other, self)):
            if (constant := one.constant()) is not None:
                return two.scaled(constant)
        if len(self.terms) == len(other.terms) == 1:
            ((mine, factor),), ((theirs, by),) = self.terms.items(), other.terms.items()
            return _Sum({_multiplied(mine, theirs): factor * by})
        return _Sum.of(f"{self.text(nested=True)} * {other.text(nested=True)}")

    def over(self, other: "_Sum") -> "_Sum":
        """The quotient, for a divisor that leaves no remainder."""
        if len(other.terms) != 1:
            raise _Unknown
        ((product, factor),) = other.terms.items()
        inverse = tuple((name, -exponent) for name, exponent in product)
        return _Sum({_multiplied(mine, inverse): value / factor for mine, value in self.terms.items()})

    def text(self, *, nested: bool = False) -> str:
        """As a formula. `nested`: in parentheses unless it is a single name or number."""
        denominator = math.lcm(*(factor.denominator for factor in self.terms.values()))
        lowest: dict[str, int] = {}
        for name, exponent in (part for product in self.terms for part in product):
            lowest[name] = min(lowest.get(name, 0), exponent)
        lifted = tuple((name, -exponent) for name, exponent in lowest.items() if exponent)
        terms = self.terms.items()
        whole = {_multiplied(product, lifted): int(factor * denominator) for product, factor in terms}
        found = _sum_text(whole)
        if divisor := _sum_text({lifted: denominator}) if lifted or denominator > 1 else "":
            found = f"({found})" if len(whole) > 1 else found
            found = f"{found} // {f'({divisor})' if ' ' in divisor else divisor}"
        return f"({found})" if nested and not found.isidentifier() and not found.isdecimal() else found


def in_arguments(formula: Formula, arguments: Iterable[Argument]) -> str | None:
    """Return the text of `formula` with names of scalar `arguments` alone, None if these do not determine it.

    Scalars with fractions do not count. A formula that has such names already stays as it is written.
    """
    scalars = [a for a in arguments if a.value is not None and not a.dtype.is_float]
    sizes = {a.value.text: a.name for a in scalars if a.value is not None}
    if formula.text in sizes:
        return sizes[formula.text]
    if all(sizes.get(name) == name for name in formula.names):
        return formula.text
    try:
        return _read(_tree(formula), _expressed(scalars)).text()
    except _Unknown:
        return None


def _expressed(scalars: Iterable[Argument]) -> dict[str, _Sum]:
    """Return each size that follows from the scalars."""
    known: dict[str, _Sum] = {}
    waiting = {a.name: a.value for a in scalars if a.value is not None}
    found = True
    while found:
        found = False
        for name, formula in list(waiting.items()):
            missing = formula.names - known.keys()
            if len(missing) > 1:
                continue
            del waiting[name]
            for size in missing:
                solved = _solved(name, formula, size, known)
                if solved is not None:
                    known[size] = solved
                    found = True
    return known


def _solved(name: str, formula: Formula, size: str, known: Mapping[str, _Sum]) -> _Sum | None:
    """Solve `name` = `formula` for `size`. Returns None if the formula is not linear in it."""
    marked = f"?{size}"
    try:
        value = _read(_tree(formula), {**known, size: _Sum.of(marked)})
        with_size = {product: factor for product, factor in value.terms.items() if (marked, 1) in product}
        rest = {product: factor for product, factor in value.terms.items() if product not in with_size}
        if len(with_size) != 1 or any(marked in atom for product in rest for atom, _ in product):
            return None
        ((product, factor),) = with_size.items()
        others = _Sum({tuple(part for part in product if part != (marked, 1)): factor})
        return _Sum.of(name).plus(_Sum(rest).scaled(Fraction(-1))).over(others)
    except _Unknown:
        return None


def _tree(formula: Formula) -> ast.expr:
    return parse_expression(formula.text)


def _read(node: ast.expr, known: Mapping[str, _Sum]) -> _Sum:
    match node:
        case ast.Constant(value=int(value)):
            return _Sum.number(value)
        case ast.Constant(value=float(decimal)):
            return _Sum.number(Fraction(repr(decimal)))
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.UnaryOp(operand=operand):
            return _read(operand, known).scaled(Fraction(-1))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _OPERATIONS[type(op)](_read(left, known), _read(right, known))
    raise _Unknown


_OPERATIONS: Mapping[type[ast.operator], _Binary] = {
    ast.Add: _Sum.plus,
    ast.Sub: lambda a, b: a.plus(b.scaled(Fraction(-1))),
    ast.Mult: _Sum.times,
    ast.Div: _Sum.over,
    ast.FloorDiv: lambda a, b: _Sum.of(f"{a.text(nested=True)} // {b.text(nested=True)}"),
    ast.Mod: lambda a, b: _Sum.of(f"{a.text(nested=True)} % {b.text(nested=True)}"),
}


def _multiplied(one: _Product, two: _Product) -> _Product:
    exponents = dict(one)
    for name, exponent in two:
        exponents[name] = exponents.get(name, 0) + exponent
    return tuple((name, exponent) for name, exponent in exponents.items() if exponent)


def _sum_text(terms: Mapping[_Product, int]) -> str:
    """The sum of products with whole factors and exponents, constants last."""
    ordered = sorted(terms.items(), key=lambda term: not term[0])
    first = next((place for place, (_, factor) in enumerate(ordered) if factor > 0), 0)
    ordered.insert(0, ordered.pop(first))
    text = ""
    for product, factor in ordered:
        names = [name for name, exponent in product for _ in range(exponent)]
        parts = ([str(abs(factor))] if abs(factor) != 1 or not names else []) + names
        if len(parts) > 1:  # 2 * a // b is not 2 * (a // b)
            parts = [f"({part})" if " // " in part or " % " in part else part for part in parts]
        sign = ("-" if factor < 0 else "") if not text else (" - " if factor < 0 else " + ")
        text += sign + " * ".join(parts)
    return text or "0"
