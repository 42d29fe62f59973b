"""Parses the values of one argument from text of a user or from JSON of a client.

Infinities and NaN are written as `inf`, `-inf` and `nan`, in text and in JSON. Parsing takes linear time and
reads at most MAX_CHARACTERS of text.
"""

import math
import re
from dataclasses import dataclass

from judge.sizes import CustomCaseInvalid
from problems.schema import Argument
from problems.value_rules import range_of
from problems.vocabulary import Dtype, Role

MAX_CHARACTERS = 64 * 1024
_SHOWN_CHARACTERS = 24
_MAX_RANK = 4
_BETWEEN = re.compile(r"[\s,;]+")
_PART = re.compile(r"[\[\]]|[^\s,;\[\]]+")
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
_REAL = re.compile(r"[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?")
_INFINITIES = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}
_BOOLS = {"true": 1, "false": 0}
_HOW = "Enter numbers with spaces or commas between them. Rows may be in brackets."


class ValuesInvalid(CustomCaseInvalid):
    """Raised if custom values do not fit the problem."""


@dataclass(frozen=True, slots=True)
class GivenArray:
    """Values in C order, and the extents of the brackets in which they were written."""

    values: tuple[float, ...]
    extents: tuple[int, ...]


def read_array(argument: Argument, said: object, *, most: int) -> GivenArray:
    """Return the values in `said`: text, a number, or a list that may be nested.

    A scalar is an array of one value. At most `most` values may be given. Raises ValuesInvalid.
    """
    name = argument.name
    if isinstance(said, str):
        said = _split(name, said)
    tokens, extents = _flattened(name, said if isinstance(said, list) else [said])
    if not tokens:
        raise ValuesInvalid(f"{name}: there are no values. {_HOW}")
    if argument.role is Role.SCALAR and len(tokens) != 1:
        raise ValuesInvalid(f"{name} is a scalar, but {len(tokens)} values are given. Enter one.")
    if len(tokens) > most:
        raise ValuesInvalid(
            f"{name}: {len(tokens)} values are given, but at most {most} can be. "
            "Use smaller sizes, or leave it blank to have its values drawn."
        )
    values = tuple(read_number(argument, token, at) for at, token in enumerate(tokens, start=1))
    return GivenArray(values, extents)


def read_number(argument: Argument, token: object, at: int) -> float:
    """Return the value number `at`, from 1, of an argument. Raises ValuesInvalid."""
    value = _real(token) if argument.dtype.is_float else _whole(token, argument.dtype)
    if value is None:
        raise ValuesInvalid(
            f"{argument.name}: value {at}, {shorten(token)}, is not {_kind(argument.dtype)}. {_HOW}"
        )
    if argument.dtype.is_float and not math.isfinite(value) and _says_so(token):
        return value
    least, most = range_of(argument.dtype)
    if not least <= value <= most:
        fix = "Write inf for infinity." if argument.dtype.is_float else "Change it."
        raise ValuesInvalid(
            f"{argument.name}: value {at}, {shorten(token)}, does not fit {argument.dtype}, "
            f"which holds {least} to {most}. {fix}"
        )
    return value


def shorten(said: object) -> str:
    """Return `said` as text of bounded length for a message."""
    text = "a number of many digits" if isinstance(said, int) and abs(said) >= 10**20 else str(said)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def _split(name: str, text: str) -> list[object]:
    """Return the tokens of a text. Brackets become nested lists."""
    if len(text) > MAX_CHARACTERS:
        raise ValuesInvalid(f"{name}: the text is longer than {MAX_CHARACTERS} characters. Shorten it.")
    if "[" not in text and "]" not in text:
        return [token for token in _BETWEEN.split(text) if token]
    whole: list[object] = []
    opened = [whole]
    for part in _PART.findall(text):
        if part == "[":
            inner: list[object] = []
            opened[-1].append(inner)
            opened.append(inner)
        elif part != "]":
            opened[-1].append(part.strip('"'))
        elif len(opened) > 1:
            opened.pop()
        else:
            break
    else:
        if len(opened) == 1 and len(whole) == 1 and isinstance(whole[0], list):
            return whole[0]
    raise ValuesInvalid(f"{name}: the brackets do not match. {_HOW}")


def _flattened(name: str, said: list[object]) -> tuple[list[object], tuple[int, ...]]:
    extents = [len(said)]
    while any(isinstance(entry, list) for entry in said):
        rows = [entry for entry in said if isinstance(entry, list)]
        if len(rows) != len(said) or len({len(row) for row in rows}) != 1 or len(extents) == _MAX_RANK:
            raise ValuesInvalid(
                f"{name}: the rows of the array differ in length or depth. "
                "Give all rows the same length, or write the values without inner brackets."
            )
        extents.append(len(rows[0]))
        said = [entry for row in rows for entry in row]
    return said, tuple(extents)


def _real(token: object) -> float | None:
    if isinstance(token, str):
        if _REAL.fullmatch(token):
            return float(token)
        value = _INFINITIES.get(token.lower().lstrip("+-"))
        return value if value is None or not token.startswith("-") else -value
    if isinstance(token, bool) or not isinstance(token, int | float):
        return None
    return float(token) if abs(token) < 2.0**1023 or isinstance(token, float) else math.inf


def _whole(token: object, dtype: Dtype) -> int | None:
    if isinstance(token, str):
        if dtype is Dtype.BOOL and token.lower() in _BOOLS:
            return _BOOLS[token.lower()]
        return int(token) if _WHOLE.fullmatch(token) else None
    if isinstance(token, bool) and dtype is not Dtype.BOOL:
        return None
    if isinstance(token, float):
        return int(token) if token.is_integer() else None
    return int(token) if isinstance(token, int) else None


def _says_so(token: object) -> bool:
    """Return whether a token is infinity or NaN itself, not a number that is rounded to infinity."""
    return isinstance(token, float) or (isinstance(token, str) and not _REAL.fullmatch(token))


def _kind(dtype: Dtype) -> str:
    if dtype.is_float:
        return f"a {dtype} number"
    return "true, false, 0 or 1" if dtype is Dtype.BOOL else f"a whole number, as {dtype} is"
