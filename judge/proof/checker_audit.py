"""Checks an author's checker: it must accept the right answer, reject noise, and be deterministic.

The checker is called through the same code as for submissions (`judge.runner.checking`), so a proof gets the
same results as submissions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from judge.drawn import outputs
from judge.dtypes import narrow, storage
from judge.oracle import Drawn
from judge.proof.results import ProofFinding, error
from judge.runner.buffers import HostMemory, random_bytes
from judge.runner.checking import Checking, checking_on_host
from judge.runner.referee import contents_of
from judge.sizes import shape_of
from problems.schema import Case, Problem
from problems.vocabulary import ProgramKind
from sandbox.backend import Process

_CHECKER = "checker.py: check"
_TIMES = 2  # calls for each question

Stored = Mapping[str, npt.NDArray[np.generic]]
Accepts = Callable[[Drawn, Stored], bool]


@contextmanager
def accepting(problem: Problem, start: Callable[[], Process]) -> Iterator[Accepts]:
    """Yield a function that returns whether outputs of a case pass the problem's checker.

    `start` starts the sandbox of the checker. The function raises judge.errors.OracleFailed if the author's
    code fails.
    """
    with checking_on_host(problem, HostMemory(), start) as checking:
        yield accepts_by(problem, checking)


def accepts_by(problem: Problem, checking: Checking) -> Accepts:
    """Return a function that says whether outputs of a case pass `checking`, which works in host memory."""

    def accepts(drawn: Drawn, stored: Stored) -> bool:
        snapshots = {
            name: np.ascontiguousarray(values).reshape(-1).view(np.uint8) for name, values in stored.items()
        }
        found = checking.compare(drawn.case, contents_of(problem, drawn), snapshots=snapshots, poisons={})
        return not any(comparison.mismatched for comparison in found.outputs.values())

    return accepts


def check_checker(problem: Problem, exact: Sequence[Drawn], accepts: Accepts) -> Iterator[ProofFinding]:
    """Yield findings on the checker, called with the exact answers of `exact` and with random bits.

    Raises:
        judge.errors.OracleFailed: the checker fails.
    """
    noisy = [drawn for drawn in exact if accepts(drawn, _noise(problem, drawn))]
    if len(noisy) == len(exact):
        yield error(
            _CHECKER,
            "accepts random bits as an answer, in every case",
            "compare the output with the expected values",
        )
    for drawn in exact:
        answer = _rounded(problem, drawn)
        said = {accepts(drawn, answer) for _ in range(_TIMES)}
        if len(said) > 1:
            yield error(
                _CHECKER,
                f"gives different results for the same outputs of case {drawn.case.name}",
                "make it depend on its arguments only",
            )
            return
        faulty = drawn.case.program is ProgramKind.FAULTY
        if said == {faulty}:
            yield _wrong_on_reference(drawn.case)
            return


def _wrong_on_reference(case: Case) -> ProofFinding:
    """Return a finding: the checker refuses the reference's answer, or accepts it for a faulty program."""
    if case.program is None:
        return error(
            _CHECKER,
            f"rejects the reference's own answer to case {case.name}",
            "allow for rounding to the output's dtype",
        )
    words = "do not kill" if case.program is ProgramKind.FAULTY else "reject"
    return error(
        f"programs/{case.name}.py",
        f"is {case.program}, but the tests that the reference returns {words} it",
        "correct the program, the checker or these tests",
    )


def _rounded(problem: Problem, drawn: Drawn) -> Stored:
    with np.errstate(over="ignore", invalid="ignore"):
        return {
            argument.name: narrow(drawn.expected[argument.name], argument.dtype)
            for argument in outputs(problem)
        }


def _noise(problem: Problem, drawn: Drawn) -> Stored:
    def bits(size: int, dtype: np.dtype[np.generic]) -> npt.NDArray[np.generic]:
        return random_bytes(size * dtype.itemsize).view(dtype)

    return {
        argument.name: bits(drawn.expected[argument.name].size, storage(argument.dtype)).reshape(
            shape_of(argument, drawn.case.sizes)
        )
        for argument in outputs(problem)
    }
