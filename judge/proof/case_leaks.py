"""Checks whether a case reveals another case through its name, its sizes, or common contents.

Theory of operation. One process of a submission runs all cases, so it can use data of one case in the next.
As in the judge, every case is therefore drawn with its own seed, and no two cases may have common contents.
Users see names and verdicts of hidden cases, and sizes and values of public cases.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from judge.drawn import inputs
from judge.dtypes import storage
from judge.oracle import Drawn
from judge.proof.determinism import OpenOracle, hidden_cases, same
from judge.proof.results import ProofFinding, cases_named, error, warning
from problems.schema import Case, Problem
from problems.vocabulary import Group

_TELLING_BYTES = 16  # fewer bytes are too often equal by chance
_TELLING_SIZE = 100  # smaller numbers in a name are usually counts or ordinals
_FIRST_SEED = 1000
_TOML = "problem.toml"
_GENERATE = "reference.py: generate"


def check_cases(problem: Problem) -> Iterator[ProofFinding]:
    """Yield findings on names and sizes. Needs no sandbox."""
    numbered = list(enumerate(problem.cases))
    for index, case in numbered:
        if not case.public:
            yield from _name(f"{_TOML}: cases[{index}].name", case)
    for (_, first), (index, second) in combinations(numbered, 2):
        if first.sizes != second.sizes or Group.TIMED in {first.group, second.group}:
            continue
        place = f"{_TOML}: cases[{index}].sizes"
        if first.public != second.public:
            public, hidden = (first, second) if first.public else (second, first)
            yield warning(
                place,
                f"the hidden case {hidden.name} has the sizes of {public.name}, which users see",
                "change a size: a program could special-case these sizes",
            )
        elif not first.public:
            yield warning(
                place,
                f"the cases {first.name} and {second.name} have the same sizes",
                "change a size, or remove a case: the second adds no coverage",
            )


def check_contents_apart(
    problem: Problem, exact: Sequence[Drawn], open_oracle: OpenOracle
) -> Iterator[ProofFinding]:
    """Yield findings on common contents of cases. `exact` are the hidden cases, drawn with another seed.

    Raises:
        judge.errors.OracleFailed: the author's code fails.
    """
    with open_oracle(problem) as oracle:
        drawn = [oracle.draw(case, _FIRST_SEED + at) for at, case in enumerate(hidden_cases(problem))]
    kept = [
        now.case.name
        for before, now in zip(exact, drawn, strict=True)
        if _telling(_values(problem, now), len(now.inputs)) and same(before.inputs, now.inputs)
    ]
    if kept:
        yield error(
            _GENERATE,
            f"the same inputs for every seed, so a program could store the answer, in {cases_named(kept)}",
            "draw the contents from rng for all sizes",
        )
    fixed = _fixed(exact, drawn)
    for left, right in combinations([_values(problem, one) for one in drawn], 2):
        if name := next((n for n in left.arrays if n not in fixed and _begin_alike(left, right, n)), ""):
            yield error(
                _GENERATE,
                f"{name} of case {left.case} and that of case {right.case} start with the same "
                "values, although their "
                "seeds differ",
                "draw the contents from rng, so that no case reveals another",
            )


def _name(place: str, case: Case) -> Iterator[ProofFinding]:
    numbers = {int(number) for number in re.findall(r"\d{1,18}", case.name)}
    for name, value in case.sizes.items():
        if value >= _TELLING_SIZE and value in numbers:
            yield warning(
                place,
                f"{case.name!r} reveals the hidden size {name} = {value}: users see case names",
                "name the property that it tests, such as not-a-multiple",
            )


def _telling(values: "_Values", inputs: int) -> bool:
    """Return whether the first arrays, the inputs, vary enough: with one bin, all elements are 0."""
    return any(
        array.nbytes >= _TELLING_BYTES and _varies(array) for array in list(values.arrays.values())[:inputs]
    )


@dataclass(frozen=True, slots=True)
class _Values:
    """The values of a case's arrays, flattened."""

    case: str
    arrays: Mapping[str, npt.NDArray[np.generic]]


def _values(problem: Problem, drawn: Drawn) -> _Values:
    given = {
        f"the input {argument.name}": drawn.inputs[argument.name].view(storage(argument.dtype))
        for argument in inputs(problem)
    }
    wanted = {f"the output {name}": array.reshape(-1) for name, array in drawn.expected.items()}
    if problem.under_test is not None:  # good tests do not depend on the program
        wanted = {}
    return _Values(drawn.case.name, given | wanted)


def _fixed(exact: Sequence[Drawn], drawn: Sequence[Drawn]) -> set[str]:
    """Return inputs that do not depend on the seed in any case, such as the coefficients of a filter."""
    return {
        f"the input {name}"
        for name in drawn[0].inputs
        if all(
            a.inputs[name].tobytes() == b.inputs[name].tobytes() for a, b in zip(exact, drawn, strict=True)
        )
    }


def _begin_alike(left: _Values, right: _Values, name: str) -> bool:
    length = min(left.arrays[name].size, right.arrays[name].size)
    ours, theirs = left.arrays[name][:length], right.arrays[name][:length]
    return ours.nbytes >= _TELLING_BYTES and _varies(ours) and ours.tobytes() == theirs.tobytes()


def _varies(values: npt.NDArray[np.generic]) -> bool:
    """Return False for constant or consecutive values, with which many legitimate contents begin."""
    steps = np.diff(values[: 1 << 16].astype(np.float64))
    return bool(steps.size and (steps != steps[0]).any())
