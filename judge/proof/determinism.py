"""Checks that the contents of cases are random and that the reference is exact and a function of them.

Everything runs in the oracle's sandbox. For some checks, a line is appended to the author's source that makes
the sandbox watch the reference (`sandbox.runner.trials`).
"""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import numpy as np
import numpy.typing as npt

from judge.drawn import inputs, outputs
from judge.dtypes import storage, widen
from judge.errors import OracleFailed
from judge.oracle import Drawn
from judge.proof.results import ProofFinding, error, warning
from judge.runner.buffers import random_bytes
from judge.runner.comparison import compare
from judge.sizes import bytes_of, shape_of
from problems.schema import Argument, Case, Problem, Tolerance
from problems.value_rules import broken_promise
from problems.vocabulary import Group, Role

_REFERENCE = "reference.py"
SEED, OTHER_SEED = 1, 2
_TELLING_BYTES = 8  # fewer bytes are too often equal by chance
_PROMISED_ELEMENTS = 1 << 16
_LUCK = 0.01  # probability with which an unwritten element may pass all cases
_WATCH = """

from sandbox.runner.trials import watched as _watched

reference = _watched(reference)
"""

Expected = Mapping[str, npt.NDArray[np.generic]]


class CaseDataSource(Protocol):
    """A loaded reference. `judge.oracle.Oracle` implements it."""

    def draw(self, case: Case, seed: int | None = None) -> Drawn:
        """Fill `case` with contents for `seed`."""


OpenOracle = Callable[[Problem], AbstractContextManager[CaseDataSource]]


def hidden_cases(problem: Problem) -> list[Case]:
    """Return the cases that proofs draw: hidden cases that are small enough for a host."""
    return [case for case in problem.cases if not case.public and case.group is not Group.TIMED]


def draw_exact(problem: Problem, open_oracle: OpenOracle) -> list[Drawn]:
    """Return the hidden cases with contents for `SEED`. Raises judge.errors.OracleFailed."""
    with open_oracle(problem) as oracle:
        return [oracle.draw(case, SEED) for case in hidden_cases(problem)]


def check_contents(
    problem: Problem, exact: Sequence[Drawn], open_oracle: OpenOracle
) -> Iterator[ProofFinding]:
    """Yield findings on the generator and the reference. `exact` are the hidden cases from `draw_exact`.

    If one of them is an error, further measurements of the reference are meaningless.

    Raises:
        judge.errors.OracleFailed: the author's code fails.
    """
    by_size = sorted(exact, key=lambda drawn: _size(drawn.inputs))
    smallest, first = by_size[0], by_size[-1]
    watched = list(_check_watched(problem, [smallest.case, first.case], open_oracle))
    if watched:
        yield from watched
        return  # the reference is not reliable
    with open_oracle(problem) as oracle:  # another process than the one that drew `exact`
        case = next(case for case in problem.cases if case.name == first.case.name)  # no scalar drawn yet
        again, other = oracle.draw(case, SEED), oracle.draw(case, OTHER_SEED)
        changing = list(_check_same_seed(first, again, oracle))
        yield from changing
        if not changing:
            yield from _check_other_seed(problem, first, other)
    yield from _check_finite(problem, exact)
    yield from _check_promises(problem, exact)


def same(left: Expected, right: Expected) -> bool:
    """Return whether the named arrays are equal, byte by byte."""
    return left.keys() == right.keys() and all(left[name].tobytes() == right[name].tobytes() for name in left)


def _size(contents: Expected) -> int:
    return sum(content.size for content in contents.values())


def _check_promises(problem: Problem, exact: Sequence[Drawn]) -> Iterator[ProofFinding]:
    """Check that inputs obey the `values` of their argument.

    Only the first rows of large arrays are checked.
    """
    for drawn in exact:
        for argument in inputs(problem):
            row = shape_of(argument, drawn.case.sizes)[-1]
            stored = drawn.inputs[argument.name].view(storage(argument.dtype))
            whole_rows = max(1, _PROMISED_ELEMENTS // row) * row
            values = widen(stored[:whole_rows], argument.dtype).tolist()
            if broken := broken_promise(argument, row, drawn.case.sizes, values):
                at, reason = broken
                yield error(
                    f"{_REFERENCE}: generate",
                    f"in case {drawn.case.name}, {argument.name}[{at}] is {values[at]}, which {reason}",
                    "change it, or values of the argument in problem.toml",
                )
                return


def _check_same_seed(first: Drawn, again: Drawn, oracle: CaseDataSource) -> Iterator[ProofFinding]:
    if not same(first.inputs, again.inputs):
        yield error(
            f"{_REFERENCE}: generate",
            "the same seed gives different inputs",
            "draw all randomness from rng",
        )
        return
    once_more = oracle.draw(first.case, SEED)  # the second draw in a process shows state that is kept
    if not (same(first.expected, again.expected) and same(first.expected, once_more.expected)):
        yield error(
            f"{_REFERENCE}: reference",
            "the same inputs give different outputs",
            "make it depend on its arguments only",
        )


def _check_other_seed(problem: Problem, first: Drawn, other: Drawn) -> Iterator[ProofFinding]:
    if first.inputs and same(first.inputs, other.inputs):
        yield error(
            f"{_REFERENCE}: generate",
            "two seeds give the same inputs, so outputs could be precomputed",
            "draw the contents from rng",
        )
        return
    if same(first.expected, other.expected) and problem.under_test is None:
        yield error(
            f"{_REFERENCE}: generate",
            "two seeds give the same outputs",
            "spread the inputs, so that outputs differ",
        )
    for argument in inputs(problem):
        name = argument.name
        telling = bytes_of(argument, first.case.sizes) >= _TELLING_BYTES
        if telling and first.inputs[name].tobytes() == other.inputs[name].tobytes():
            yield warning(
                f"{_REFERENCE}: generate",
                f"{name} is the same for every seed, so a program need not read it",
                f"draw {name} from rng too",
            )


def _check_watched(
    problem: Problem, cases: Sequence[Case], open_oracle: OpenOracle
) -> Iterator[ProofFinding]:
    """Check that the reference does not change its arguments, and returns only elements that it wrote."""
    with open_oracle(dataclasses.replace(problem, reference=problem.reference + _WATCH)) as oracle:
        try:
            for case in cases:
                oracle.draw(case, SEED)
        except OracleFailed as failure:
            yield error(
                f"{_REFERENCE}: reference",
                str(failure),
                "modify a copy, such as x = x.copy(), and write every element of arrays from xp.empty",
            )


def _check_finite(problem: Problem, exact: Sequence[Drawn]) -> Iterator[ProofFinding]:
    """Yield findings on NaN and infinities, in inputs and in expected values."""
    for argument in inputs(problem):
        if not argument.dtype.is_float:
            continue
        values = [widen(d.inputs[argument.name].view(storage(argument.dtype)), argument.dtype) for d in exact]
        if any(np.isinf(array).any() for array in values):
            yield warning(
                f"{_REFERENCE}: generate",
                f"{argument.name} holds infinities as {argument.dtype}",
                f"draw values within the range of {argument.dtype}, unless infinities are intended",
            )
    for argument in outputs(problem):
        if not argument.dtype.is_float:
            continue
        if not (argument.tolerance and argument.tolerance.nan):
            yield from _check_nan(argument, exact)
        if all(np.isinf(drawn.expected[argument.name]).all() for drawn in exact):
            yield error(
                f"{_REFERENCE}: reference",
                f"every element of {argument.name} is infinite in every case",
                "look for a division by zero or an overflow, or draw other inputs",
            )


def _check_nan(argument: Argument, exact: Sequence[Drawn]) -> Iterator[ProofFinding]:
    with_nan = [drawn.case.name for drawn in exact if np.isnan(drawn.expected[argument.name]).any()]
    if with_nan:
        yield error(
            f"{_REFERENCE}: reference",
            f"{argument.name} holds NaN, which never compares equal, in case {with_nan[0]}",
            "avoid it, or allow it with nan = true",
        )


def check_poison(problem: Problem, exact: Sequence[Drawn]) -> Iterator[ProofFinding]:
    """Yield a finding if random bits often pass as an element: memory of the program is not poisoned."""
    if problem.checker is not None:
        return
    for index, argument in enumerate(problem.arguments):
        if argument.role is not Role.OUT or argument.zeroed:
            continue
        luck = float(np.prod([_share_passing(argument, drawn) for drawn in exact]))
        if luck > _LUCK:
            yield error(
                f"problem.toml: arguments[{index}]",
                f"an element of {argument.name} that a program never writes passes all cases with "
                f"probability {luck:.2g}",
                "lower the absolute tolerance or add cases",
            )


def _share_passing(argument: Argument, drawn: Drawn) -> float:
    """Return the share of the elements of an output for which random bits pass."""
    expected = drawn.expected[argument.name].reshape(-1)
    repeated = np.resize(expected, max(256, expected.size))  # a few elements would be a small sample
    bits = random_bytes(repeated.size * argument.dtype.itemsize)
    found = compare(
        argument.name,
        dtype=argument.dtype,
        got=bits.view(storage(argument.dtype)),
        expected=repeated,
        poison=None,
        tolerance=argument.tolerance or Tolerance(),
    )
    return 1 - found.mismatched / max(1, found.checked)
