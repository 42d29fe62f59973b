"""Tests that notes on rounded sums contain the difference from the same sum in double precision."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "rounded_sums.cu").read_text()
N = 4096
X = (1 + np.random.default_rng(1).random(N)).astype(np.float32)
FLOAT, HALF, BFLOAT16, DOUBLE, TURNS = range(5)
_EPSILON = {FLOAT: 2.0**-24, HALF: 2.0**-11, BFLOAT16: 2.0**-8}
_TEXT = re.compile(
    r"adds up (\d+) terms in (\w+), one after the other, to (\S+)\. In double precision, the same terms give "
    r"(\S+)\. The largest error is (\S+) of a typical sum\. It can be up to (\S+): n"
)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def line_of(mark: str) -> int:
    return marked_lines(SOURCE, mark)[0]


def run(runner: Runner, which: int) -> tuple[npt.NDArray[np.float32], list[dict[str, object]]]:
    """The outputs of one call, and its notes on sums."""
    outcome = runner.call(X, np.zeros(8, np.float32), N, which, flags=ORDERS[0] | RunFlag.COUNT)
    assert outcome.status is None, outcome.diagnostics
    found = [entry for entry in outcome.diagnostics if entry["kind"] == "rounded_sum"]
    return outcome.arrays[1], found


@pytest.mark.parametrize(
    ("which", "mark"),
    [(FLOAT, "float"), (HALF, "half"), (BFLOAT16, "bfloat16")],
    ids=["float", "half", "bf16"],
)
def test_a_note_has_the_error_of_the_sum(runner: Runner, which: int, mark: str) -> None:
    y, (found,) = run(runner, which)
    assert (found["line"], found["severity"]) == (line_of(mark), "note")
    match = _TEXT.search(str(found["message"]))
    assert match is not None, found
    terms = X.astype(np.float16).astype(np.float64) if which == HALF else X.astype(np.float64)
    exact = terms.sum()
    assert (int(match[1]), match[2]) == (N, {"float": "float32", "half": "float16"}.get(mark, mark))
    assert float(match[3]) == pytest.approx(float(y[0]), rel=_EPSILON[which])
    assert float(match[4]) == pytest.approx(exact, rel=1e-8)
    error = abs(float(y[0]) - exact) / exact
    assert float(match[5]) == pytest.approx(error, rel=0.1, abs=_EPSILON[which])
    assert float(match[6]) == pytest.approx(N * _EPSILON[which], rel=0.1)
    assert float(match[5]) <= float(match[6])


def test_sums_that_take_turns_are_told_apart(runner: Runner) -> None:
    y, (found,) = run(runner, TURNS)
    match = _TEXT.search(str(found["message"]))
    assert match is not None
    assert int(match[1]) == N // 8
    exact = X.astype(np.float64).reshape(-1, 8).sum(axis=0) / 2
    assert any(float(match[4]) == pytest.approx(sum_, rel=1e-8) for sum_ in exact)
    worst = np.abs(y[:8] - exact).max() / np.sqrt(np.mean(exact**2))
    assert float(match[5]) == pytest.approx(worst, rel=0.1)


def test_sums_in_double_get_no_note(runner: Runner) -> None:
    assert run(runner, DOUBLE)[1] == []
