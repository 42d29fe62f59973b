"""Bulk copies with mbarriers, and copies that read a part of what they write: bounds, waits, refusals."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "bulk_copies.cu").read_text()
KERNELS = (
    *("waits", "never_waits", "stores", "too_long", "odd_size", "tensor"),
    *("short_tail", "long_tail"),
)
WORDS = 512
X = np.random.default_rng(1).integers(1, 1000, 2 * WORDS).astype(np.int32)
ALL_ORDERS = (*ORDERS, RunFlag.NONE, ORDERS[0] | RunFlag.COUNT)


@pytest.fixture
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def call(runner: Runner, name: str, flags: RunFlag, x: np.ndarray = X) -> Outcome:
    output = np.zeros(2 * WORDS, np.int32)
    return runner.call(x, output, len(x), KERNELS.index(name), flags=flags)


def line_of(mark: str) -> int:
    return marked_lines(SOURCE, mark)[0]


def test_copies_that_are_waited_for_are_there_in_all_orders(runner: Runner) -> None:
    for flags in ALL_ORDERS:
        outcome = call(runner, "waits", flags)
        assert outcome.status is None, outcome.diagnostics
        assert not [found for found in outcome.diagnostics if found["severity"] != "note"]
        np.testing.assert_array_equal(outcome.arrays[1], X)


@pytest.mark.parametrize("flags", [ORDERS[0], RunFlag.NONE])
def test_what_is_not_waited_for_is_poison(runner: Runner, flags: RunFlag) -> None:
    outcome = call(runner, "never_waits", flags)
    assert outcome.status is None, outcome.diagnostics
    assert not (outcome.arrays[1][:WORDS] == X[:WORDS]).any()
    if flags:
        assert f"line {line_of('read')}" in str(outcome.finding("uninitialised")["message"])


def test_a_copy_to_global_memory_is_there(runner: Runner) -> None:
    for flags in ALL_ORDERS:
        outcome = call(runner, "stores", flags)
        assert outcome.status is None, outcome.diagnostics
        assert not [found for found in outcome.diagnostics if found["severity"] != "note"]
        np.testing.assert_array_equal(outcome.arrays[1][:WORDS], X[:WORDS] + 1)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("too_long", "out_of_bounds", "argument input"),
        ("odd_size", "misaligned", "bulk copy of 20 bytes"),
        ("tensor", "unsupported", "does not support the instruction cp.async.bulk.tensor"),
    ],
)
@pytest.mark.parametrize("flags", [ORDERS[0], RunFlag.NONE])
def test_copies_that_cannot_be_done_are_refused(
    runner: Runner, name: str, kind: str, words: str, flags: RunFlag
) -> None:
    outcome = call(runner, name, flags)
    assert outcome.status is not None
    assert words in str(outcome.finding(kind)["message"])


@pytest.mark.parametrize("length", [WORDS - 1, WORDS - 3, 5, 1])
def test_a_copy_may_read_less_than_it_writes_at_the_end_of_an_array(runner: Runner, length: int) -> None:
    for flags in ALL_ORDERS:
        outcome = call(runner, "short_tail", flags, X[:length])
        assert outcome.status is None, outcome.diagnostics
        assert not [found for found in outcome.diagnostics if found["severity"] != "note"]
        np.testing.assert_array_equal(outcome.arrays[1][:length], X[:length])
        assert not outcome.arrays[1][length:WORDS].any()


@pytest.mark.parametrize("flags", [ORDERS[0], RunFlag.NONE])
def test_a_copy_that_reads_a_word_too_many_is_out_of_bounds(runner: Runner, flags: RunFlag) -> None:
    outcome = call(runner, "long_tail", flags, X[: WORDS - 2])
    assert outcome.status is not None
    finding = outcome.finding("out_of_bounds")
    assert finding["line"] == line_of("tail")
    assert "argument input" in str(finding["message"])
