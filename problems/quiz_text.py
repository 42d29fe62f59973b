r"""Texts of quizzes: Markdown with TeX, and placeholders for numbers such as `{{ sms * warps }}`.

A variable alone is spelled exactly, other formulas with four significant digits. `{{ time : 2 }}` has two
decimals. TeX needs a space between its own braces: `\frac{ {{ a }} }{b}`.
"""

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from problems.arithmetic import Arithmetic
from problems.formula import FormulaError
from problems.quiz_variables import Value, numbers_of
from problems.table import TomlTable

ANSWER = "answer"  # in explanations: the right number
MAX_PLACEHOLDERS = 100
_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_DECIMALS = re.compile(r"[ ]*([0-6])[ ]*")
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A formula in a text. Without `decimals` its value is spelled as `spell` does."""

    formula: Arithmetic
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class QuizText:
    """A text between and around its placeholders: `pieces` has one entry more than `placeholders`."""

    pieces: tuple[str, ...]
    placeholders: tuple[Placeholder, ...] = ()

    def filled(self, values: Mapping[str, Value]) -> str:
        """The text with `values`. Raises FormulaError if a formula has no value for them."""
        parts = [self.pieces[0]]
        for placeholder, piece in zip(self.placeholders, self.pieces[1:], strict=True):
            parts += (_spelled(placeholder, values), piece)
        return "".join(parts)


def _spelled(placeholder: Placeholder, values: Mapping[str, Value]) -> str:
    formula = placeholder.formula
    value = values.get(formula.text) if formula.is_name else None
    if isinstance(value, str):
        return value
    found = formula.value(numbers_of(values))
    if placeholder.decimals is not None:
        return f"{found:.{placeholder.decimals}f}"
    return spell(found, digits=12 if formula.is_name and formula.text != ANSWER else _DIGITS)


def spell(value: float, *, digits: int = _DIGITS) -> str:
    """The number without an exponent: whole numbers exactly, others with `digits` significant digits."""
    if value == int(value):
        return str(int(value))
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{min(decimals, 15)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def parse_text(
    table: TomlTable,
    key: str,
    known: Collection[str],
    numbers: Collection[str],
    *,
    most: int,
    value: str | None = None,
) -> QuizText:
    """Read a required text of up to `most` characters, or `value` if it has been read.

    Placeholders may name any of the `known` variables, and compute with those that are `numbers`.
    """
    text = table.text(key, most=most, example='"…"') if value is None else value
    if value is not None and not 1 <= len(value.strip()) <= len(value) <= most:
        table.fault(key, f"must have 1 to {most} characters, has {len(value)}")
    parts = _PLACEHOLDER.split(text)
    pieces, inner = parts[::2], parts[1::2]
    if len(inner) > MAX_PLACEHOLDERS:
        table.fault(key, f"has {len(inner)} placeholders; at most {MAX_PLACEHOLDERS} are allowed")
        return QuizText((text,))
    found = []
    for content in inner:
        placeholder = _placeholder(table, key, content, known, numbers)
        if placeholder is None:
            return QuizText((text,))
        found.append(placeholder)
    return QuizText(tuple(pieces), tuple(found))


def _placeholder(
    table: TomlTable, key: str, content: str, known: Collection[str], numbers: Collection[str]
) -> Placeholder | None:
    words, colon, decimals = content.partition(":")
    if colon and not _DECIMALS.fullmatch(decimals):
        table.fault(key, f"{{{{{content[:40]}}}}}: write the decimals after the colon, from 0 to 6")
        return None
    try:
        formula = Arithmetic.parse(words.strip())
    except FormulaError as error:
        table.fault(key, f"in {{{{{content[:40]}}}}}: {error}")
        return None
    usable = known if formula.is_name and not colon else numbers
    if unknown := sorted(formula.names - set(usable)):
        why = (
            "is text, not a number"
            if unknown[0] in known
            else "is not a variable; declare it in [[variables]]"
        )
        table.fault(key, f"in {{{{{content[:40]}}}}}: {unknown[0][:40]!r} {why}")
        return None
    return Placeholder(formula, int(decimals) if colon else None)
