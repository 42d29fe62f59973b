"""Tests asynchronous copies: data is missing before the wait, and the finding names both lines."""

from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner
from tests.integration.functional.marked_lines import marked_lines

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "async_copies.cu").read_text()
N = 4096
X = np.random.default_rng(1).integers(0, 16, N).astype(np.int32)
ORDERLY = (
    "own_words",
    "words_of_others",
    "by_group",
    "by_barrier",
    "by_pipeline",
    "by_stages",
    "wide_copies",
)
UNWAITED = ("never_waits", "barrier_alone", "waits_for_the_one_before")
RACING = ("waits_without_barrier", "starts_while_others_read")


def outcomes(name: str, *orders: RunFlag) -> list[Outcome]:
    """How the program ends in each of the orders."""
    runner = Runner(SOURCE)
    try:
        which = (ORDERLY + UNWAITED + RACING).index(name)
        return [runner.call(X, np.zeros(16, np.int32), N, which, flags=flags) for flags in orders]
    finally:
        runner.close()


def line_of(mark: str) -> int:
    return marked_lines(SOURCE, mark)[0]


@pytest.mark.parametrize("name", ORDERLY)
def test_a_program_that_waits_is_right_in_all_orders_and_nothing_is_reported(name: str) -> None:
    for outcome in outcomes(name, *ORDERS, RunFlag.NONE):
        assert outcome.status is None, outcome.diagnostics
        assert not [found for found in outcome.diagnostics if found["severity"] != "note"]
        assert outcome.arrays[1][0] == X.sum()


@pytest.mark.parametrize("name", UNWAITED + RACING)
def test_a_read_before_the_wait_is_wrong_and_both_lines_are_named(name: str) -> None:
    ended = outcomes(name, *ORDERS)
    assert all(outcome.status is None for outcome in ended)
    assert not all(outcome.arrays[1][0] == X.sum() for outcome in ended)
    kind = "race" if name in RACING else "uninitialised"
    messages = [
        str(found["message"]) for outcome in ended for found in outcome.diagnostics if found["kind"] == kind
    ]
    copied, read = line_of(f"copy: {name}"), line_of(f"read: {name}")
    assert any(f"line {copied}" in message and f"line {read}" in message for message in messages), messages


@pytest.mark.parametrize("name", UNWAITED)
def test_a_large_case_is_wrong_without_the_wait(name: str) -> None:
    (outcome,) = outcomes(name, RunFlag.NONE)
    assert outcome.status is None
    assert outcome.arrays[1][0] != X.sum()
