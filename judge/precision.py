"""Whether a problem's contents are random, its reference honest, and its tolerances neither tight nor loose.

Theory of operation. The author's reference is asked the same questions in other precisions: the source
that the oracle loads gets an appendix which converts float arguments before the call. Evaluated in the
output's own precision, in whatever order the array library prefers, it must pass; rounded or evaluated
in the precision below, it must fail at least one hidden case. All of it runs in the oracle's sandbox.
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
import numpy.typing as npt

from judge.checker import compare
from judge.drawn import outputs
from judge.elements import narrow, widen
from judge.oracle import Drawn
from judge.proof import Finding, error, warning
from judge.sizes import shape_of
from problems.schema import Argument, Case, Problem, Tolerance
from problems.vocabulary import Dtype, Group

_REFERENCE = "reference.py"
_BELOW = {Dtype.FLOAT64: Dtype.FLOAT32, Dtype.FLOAT32: Dtype.FLOAT16}
_SEED, _OTHER_SEED = 1, 2
_LOWER = "lower the tolerance, or add a case where it shows"

_CAST = """

_exact_reference = reference


def reference(xp, **arguments):
    def cast(value):
        floating = hasattr(value, "dtype") and value.dtype.kind == "f"
        return value.astype(xp.{first}).astype(xp.{second}) if floating else value

    return _exact_reference(xp, **{{name: cast(value) for name, value in arguments.items()}})
"""

_WATCH = """

_unwatched_reference = reference


def reference(xp, **arguments):
    before = {name: value.copy() for name, value in arguments.items() if hasattr(value, "copy")}
    result = _unwatched_reference(xp, **arguments)
    for name, value in before.items():
        if arguments[name].tobytes() != value.tobytes():
            raise RuntimeError(f"the reference changes its argument {name}")
    return result
"""

Expected = Mapping[str, npt.NDArray[np.generic]]


class Draws(Protocol):
    """A loaded reference. `judge.oracle.Oracle` is the real one."""

    def draw(self, case: Case, seed: int | None = None) -> Drawn:
        """Fill `case` with contents for `seed`."""


OpenOracle = Callable[[Problem], AbstractContextManager[Draws]]


def check_contents(problem: Problem, open_oracle: OpenOracle) -> Iterator[Finding]:
    """Findings on the generator, the reference and the tolerances.

    Raises:
        judge.errors.OracleFailed: the author's code breaks.
    """
    cases = [case for case in problem.cases if not case.public and case.group is not Group.TIMED]
    with open_oracle(problem) as oracle:
        exact = [oracle.draw(case, _SEED) for case in cases]
        yield from _check_seeds(oracle, exact)
    yield from _check_nan(problem, exact)
    with open_oracle(dataclasses.replace(problem, reference=problem.reference + _WATCH)) as oracle:
        oracle.draw(cases[0], _SEED)  # raises when the reference changes its arguments
    yield from _check_tolerances(problem, exact, open_oracle)


def _check_seeds(oracle: Draws, exact: Sequence[Drawn]) -> Iterator[Finding]:
    first = max(exact, key=lambda drawn: sum(content.size for content in drawn.inputs.values()))
    again, other = oracle.draw(first.case, _SEED), oracle.draw(first.case, _OTHER_SEED)
    if not _equal(first.inputs, again.inputs):
        yield error(
            f"{_REFERENCE}: generate",
            "the same seed gives different inputs",
            "draw all randomness from rng",
        )
    elif not _equal(first.expected, again.expected):
        yield error(
            f"{_REFERENCE}: reference",
            "the same inputs give different outputs",
            "make it a function of its arguments alone",
        )
    if first.inputs and _equal(first.inputs, other.inputs):
        yield error(
            f"{_REFERENCE}: generate",
            "two seeds give the same inputs, so that outputs could be known beforehand",
            "draw the contents from rng",
        )
    elif _equal(first.expected, other.expected):
        yield error(
            f"{_REFERENCE}: generate",
            "two seeds give the same outputs",
            "spread the inputs, so that outputs differ",
        )


def _equal(left: Expected, right: Expected) -> bool:
    return left.keys() == right.keys() and all(left[name].tobytes() == right[name].tobytes() for name in left)


def _check_nan(problem: Problem, exact: Sequence[Drawn]) -> Iterator[Finding]:
    for argument in outputs(problem):
        if not argument.dtype.is_float or (argument.tolerance and argument.tolerance.nan):
            continue
        if any(np.isnan(drawn.expected[argument.name]).any() for drawn in exact):
            yield error(
                f"{_REFERENCE}: reference",
                f"{argument.name} holds NaN, which nothing matches",
                "avoid it, or allow it with nan = true",
            )


def _check_tolerances(problem: Problem, exact: Sequence[Drawn], open_oracle: OpenOracle) -> Iterator[Finding]:
    floats = [argument for argument in outputs(problem) if argument.dtype in _BELOW]
    if not floats:
        return
    dtype = max((argument.dtype for argument in floats), key=lambda d: d.itemsize)
    below = _BELOW[dtype]
    honest = _passing(problem, exact, _in_precision(problem, exact, open_oracle, dtype, dtype))
    if not all(honest):
        case = exact[honest.index(False)].case.name
        yield error(
            "problem.toml: tolerance",
            f"the reference evaluated in {dtype} fails case {case}, so honest programs may fail too",
            "raise the tolerance, or choose inputs that need less of it",
        )
    attempts = {
        f"inputs rounded to {below}": _in_precision(problem, exact, open_oracle, below, Dtype.FLOAT64),
        f"all computed in {below}": _in_precision(problem, exact, open_oracle, below, below),
    }
    for name, expected in attempts.items():
        if all(_passing(problem, exact, expected)):
            yield error("problem.toml: tolerance", _let_through(name), _LOWER)
    # A sum near zero leaves room for its last rounding, which saves no work: no reason to refuse it.
    if all(_passing(problem, exact, [_rounded(drawn.expected, floats, below) for drawn in exact])):
        yield warning("problem.toml: tolerance", _let_through(f"outputs rounded to {below}"), _LOWER)
    yield from _check_margin(problem, exact)


def _let_through(program: str) -> str:
    return f"a program with {program} passes every case"


def _check_margin(problem: Problem, exact: Sequence[Drawn]) -> Iterator[Finding]:
    """Rounding the exact result to the output's dtype is the least that any program does."""
    rounded = [
        {a.name: widen(narrow(drawn.expected[a.name], a.dtype), a.dtype) for a in outputs(problem)}
        for drawn in exact
    ]
    if not all(_passing(problem, exact, rounded)):
        yield warning(
            "problem.toml: tolerance",
            "the exact result, correctly rounded, does not pass",
            "raise relative to at least half a unit in the last place",
        )


def _in_precision(
    problem: Problem, exact: Sequence[Drawn], open_oracle: OpenOracle, first: Dtype, second: Dtype
) -> list[Expected]:
    appendix = _CAST.format(first=first.value, second=second.value)
    with open_oracle(dataclasses.replace(problem, reference=problem.reference + appendix)) as oracle:
        return [oracle.draw(drawn.case, _SEED).expected for drawn in exact]


def _rounded(expected: Expected, arguments: Sequence[Argument], dtype: Dtype) -> Expected:
    with np.errstate(over="ignore"):
        lower = {a.name: widen(narrow(expected[a.name], dtype), dtype) for a in arguments}
    return {**expected, **lower}


def _passing(problem: Problem, exact: Sequence[Drawn], attempts: Sequence[Expected]) -> list[bool]:
    """For each case, whether a program that answers `attempts` passes."""
    return [
        all(
            _passes(argument, drawn, attempt[argument.name], shape_of(argument, drawn.case.sizes))
            for argument in outputs(problem)
        )
        for drawn, attempt in zip(exact, attempts, strict=True)
    ]


def _passes(
    argument: Argument, drawn: Drawn, attempt: npt.NDArray[np.generic], shape: tuple[int, ...]
) -> bool:
    with np.errstate(over="ignore"):
        stored = narrow(attempt, argument.dtype).reshape(shape)
    comparison = compare(
        argument.name,
        dtype=argument.dtype,
        got=stored,
        expected=drawn.expected[argument.name],
        poison=None,
        tolerance=argument.tolerance or Tolerance(),
    )
    return comparison.mismatched == 0
