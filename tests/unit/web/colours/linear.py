"""Proves from the form of a regular expression that it fails after a bounded number of characters.

It refuses all other expressions. An accepted expression that is tried after each match reads a text in linear
time: a failed try has a bounded cost, and the characters of a successful match are not read again.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

# There is no other access to a parsed expression.
op: Any = import_module("re._constants")
parser: Any = import_module("re._parser")

_MOST = 128  # characters limit for a part that can match in more than one way
_SINGLE = {op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY, op.AT, op.GROUPREF}


class NotLinear(AssertionError):
    """Raised when an expression does not have a form that is known to be linear."""


def prove(pattern: str) -> None:
    """Check that `pattern` fails after a bounded number of characters, if it fails.

    Raises:
        NotLinear: this cannot be proved.
    """
    _prove(parser.parse(pattern))


def _prove(parts: Iterable[tuple[Any, Any]]) -> bool:
    """Whether `parts` may read any number of characters. Nothing that can fail follows what does."""
    endless = False
    for kind, value in parts:
        if endless and not (kind in {op.POSSESSIVE_REPEAT, op.MAX_REPEAT} and value[0] == 0):
            raise NotLinear(f"{kind} {value} may fail after any number of characters")
        endless |= _is_endless(kind, value)
    return endless


def _is_endless(kind: Any, value: Any) -> bool:
    if kind in _SINGLE:
        return False
    if kind in {op.ASSERT, op.ASSERT_NOT} and value[1].getwidth()[1] <= _MOST:
        return False
    if kind in {op.POSSESSIVE_REPEAT, op.MAX_REPEAT}:
        return _is_endless_repetition(*value, possessive=kind is op.POSSESSIVE_REPEAT)
    inside = {
        op.SUBPATTERN: lambda: [value[3]],
        op.ATOMIC_GROUP: lambda: [value],
        op.BRANCH: lambda: value[1],
    }
    if kind in inside:
        return any([_prove(parts) for parts in inside[kind]()])  # noqa: C419 - all are to be proved
    raise NotLinear(f"{kind} {value} is not known to be linear")


def _is_endless_repetition(least: Any, most: Any, body: Any, *, possessive: bool) -> bool:
    if possessive and least <= 1:
        return bool(_prove(body) or most is op.MAXREPEAT or body.getwidth()[1] * most > _MOST)
    if most is op.MAXREPEAT or most > _MOST or (most > 1 and not (len(body) == 1 and body[0][0] in _SINGLE)):
        raise NotLinear(f"{body} is tried in more than one way: make it possessive")
    return _prove(body)
