"""Bounds of shared arrays: each array has its own, and pointers to several arrays are legal."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "shared_arrays.cu").read_text()
X = np.arange(1, 33, dtype=np.float32)
FLAGS = pytest.mark.parametrize("flags", [RunFlag.NONE, RunFlag.DETERMINISTIC | RunFlag.RACES])


def call(index: int, way: int, flags: RunFlag) -> Outcome:
    with closing(Runner(SOURCE)) as runner:
        return runner.call(X, np.empty_like(X), index, way, flags=flags)


@FLAGS
@pytest.mark.parametrize(
    ("index", "text"),
    [
        (40, "element 40 of 32 (of 4 bytes each) of shared array a, which is in element 8 of 32"),
        (32, "element 32 of 32"),
        (-1, "byte -4"),
        (4000, "outside the block's 256 bytes of shared memory"),
    ],
)
def test_a_write_past_one_array_into_the_next_is_out_of_bounds(index: int, text: str, flags: RunFlag) -> None:
    outcome = call(index, 0, flags)
    found = outcome.finding("out_of_bounds")
    assert text in found["message"], found
    assert found["line"] == 7


@FLAGS
def test_accesses_within_arrays_are_legal(flags: RunFlag) -> None:
    outcome = call(31, 0, flags)
    assert outcome.status is None, outcome.diagnostics
    expected = 3 * X
    expected[31] = 2 * X[31] - 1
    np.testing.assert_array_equal(outcome.arrays[1], expected)


@FLAGS
def test_a_pointer_may_point_to_one_array_or_another(flags: RunFlag) -> None:
    outcome = call(3, 1, flags)
    assert outcome.status is None, outcome.diagnostics
    np.testing.assert_array_equal(outcome.arrays[1], X[::-1] + 2 + np.roll(X[::-1], -3))
