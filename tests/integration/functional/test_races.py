"""Tests data races: each race certainly fails in one of the orders, and code without a race passes."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from judge.cases import LATE_READS, ORDERS
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Outcome, Runner

pytestmark = pytest.mark.integration
KERNELS = Path(__file__).parent / "kernels"
BINS, THREADS, N = 16, 256, 4096
X = np.random.default_rng(1).integers(0, BINS, N).astype(np.int32)
SUMS = X.reshape(-1, THREADS).sum(1)


def filled(*first: int) -> np.ndarray:
    """Return the contents of `out`: `first`, then zeros."""
    return np.array([*first, *[0] * (BINS - len(first))], np.int32)


COUNTS, TOTAL = np.bincount(X, minlength=BINS), filled(X.sum())
RACY = {
    "count": COUNTS,
    "sum": TOTAL,
    "sum_of_one_block": TOTAL,
    "sum_of_parts": TOTAL,
    "sum_in_variable": TOTAL,
    "zero_and_add": TOTAL,
    "zero_fence_and_add": TOTAL,
    "count_in_shared": COUNTS,
    "carry": np.cumsum(SUMS),
    "last_block_of_all": TOTAL,
    "sum_after_detours": TOTAL,
    "count_in_bytes": np.bincount(X[:64], minlength=BINS),
    "volatile_sum": TOTAL,
    "ticket_is_index": SUMS,
}
SETS_FIRST = ("zero_and_add", "zero_fence_and_add")
ADVICE = r"[Uu]se an atomic operation|Put __sync(?:threads|warp)\(\)"
UNREPORTED = ("volatile_sum", "ticket_is_index")  # no data race, but wrong
ORDERLY = {
    "found": filled(1),
    "count": COUNTS,
    "last_block": TOTAL,
    "spin_lock": TOTAL,
    "look_back": np.cumsum(SUMS),
    "look_back_by_ticket": np.cumsum(SUMS),
    "warp_synchronous": TOTAL,
    "first_to_swap": np.minimum(COUNTS, 1),
    "neighbours": np.roll(SUMS, -1),
    "last_block_of_many": TOTAL,
    "last_block_by_atomic_ref": TOTAL,
    "look_back_by_warp": np.cumsum(SUMS),
    "hand_on": SUMS,
    "wait_for_both": np.where(np.isin(np.arange(BINS), (0, BINS - 1)), SUMS, 0),
    "leave_and_exit": SUMS,
    "look_by_adding_nothing": np.cumsum(SUMS),
    "cached_reads_of_what_is_there": SUMS,
    "look_back_in_one_word": np.cumsum(SUMS),
    "textures_and_constants_of_an_earlier_launch": SUMS,
    "look_back_with_fence_after_poll": np.cumsum(SUMS),
    "look_back_with_barrier_after_poll": np.cumsum(SUMS),
    "spin_lock_by_atomic_ref": TOTAL,
    "last_block_by_one_thread": TOTAL,
}
UNORDERED = {
    "volatile_tree": TOTAL,
    "volatile_exchange": TOTAL,
    "volatile_in_a_warp": TOTAL,
    "volatile_between_blocks": TOTAL,
    "last_block_without_fence": TOTAL,
    "last_block_with_block_fence": TOTAL,
    "last_block_with_early_fence": TOTAL,
    "last_block_keeps_parts": TOTAL,
    "look_back_without_fence": np.cumsum(SUMS),
    "look_back_with_relaxed_flag": np.cumsum(SUMS),
    "look_back_with_block_scope": np.cumsum(SUMS),
    "sum_with_block_scope": TOTAL,
    "exchange_by_shuffle": TOTAL,
    "exchange_by_vote": TOTAL,
    "exchange_between_halves": TOTAL,
    "read_through_cache": TOTAL,
    "read_through_texture": TOTAL,
    "read_constant": TOTAL,
    "look_back_with_relaxed_poll": np.cumsum(SUMS),
    "lock_without_fence_after_it": TOTAL,
}


def numbers_of_threes() -> int:
    found = np.count_nonzero(X == 3)
    return int(found * (found - 1) // 2)


def places_of_largest() -> np.ndarray:
    """For each tile, the sum over its threads of the place of the largest value up to the thread."""
    threads = np.arange(THREADS)
    tiles = X.reshape(-1, THREADS) * THREADS + threads * 97 % THREADS
    is_largest = tiles == np.maximum.accumulate(tiles, 1)
    return np.maximum.accumulate(np.where(is_largest, threads, 0), 1).sum(1)


OVERWRITTEN = {
    "sums_by_first_thread": SUMS,
    "sums_by_last_thread": SUMS,
    "numbers": filled(numbers_of_threes()),
    "turns_of_warps": filled(int(SUMS @ np.arange(1, BINS + 1))),
    "sums_in_global_memory": SUMS,
    "places_of_largest": places_of_largest(),
}
BENIGN = {
    "stop_when_found": filled(1),
    "smallest_label": filled((X[:THREADS] * THREADS + np.arange(THREADS)).min()),
    "wait_for_reader": filled(1),
    "ignore_hint": COUNTS,
    "exchange_in_warps": TOTAL,
}
LUCKY = {
    "largest with slots of shared memory that nothing has written": filled(X.max()),
    "least in fresh memory": filled(X.min()),
    "count after the turns are used up": COUNTS,
    "sum in a variable that nothing has written": TOTAL,
    "count in a local array that nothing has written": COUNTS,
}


@pytest.fixture(params=["one core", "all cores"])
def cores(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runners that start meanwhile have so many cores."""
    all_of_them = os.sched_getaffinity(0)
    if request.param == "one core":
        os.sched_setaffinity(0, {min(all_of_them)})
    yield
    os.sched_setaffinity(0, all_of_them)


def outcomes(name: str, which: int, *, orders: tuple[RunFlag, ...] = ORDERS, times: int = 1) -> list[Outcome]:
    """How the program ends in each of the orders, `times` times, one runner for all."""
    runner = Runner((KERNELS / f"{name}.cu").read_text())
    try:
        return [
            runner.call(X, filled(-7), N, which, flags=flags, time_limit_ms=20_000)
            for _ in range(times)
            for flags in orders
        ]
    finally:
        runner.close()


def findings(ended: list[Outcome]) -> list[dict[str, object]]:
    return [finding for outcome in ended for finding in outcome.diagnostics if finding["severity"] != "note"]


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("name", RACY)
def test_a_racy_program_is_wrong_in_one_of_the_orders_each_time(name: str) -> None:
    ended = outcomes("racy", list(RACY).index(name), times=3)
    assert all(outcome.status is None for outcome in ended), findings(ended)
    right = [bool((outcome.arrays[1] == RACY[name]).all()) for outcome in ended]
    assert not all(right[:3])
    assert right[3:] == right[:3] * 2, "the orders are the same each time"


@pytest.mark.parametrize("name", [name for name in RACY if name not in UNREPORTED])
def test_a_race_is_reported_with_both_lines(name: str) -> None:
    race, *_ = findings(outcomes("racy", list(RACY).index(name), orders=ORDERS[:2]))
    lines = (KERNELS / "racy.cu").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if text.endswith(f"// race: {name}"))
    message = str(race["message"])
    assert race["kind"] == "race"
    assert f"(line {line})" in message
    assert message.count("(line ") == 2
    advice = "Set the element before the launch" if name in SETS_FIRST else ADVICE
    assert re.search(advice, message)


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("name", UNORDERED)
def test_what_is_read_without_an_order_is_wrong_each_time_and_both_lines_are_named(name: str) -> None:
    ended = outcomes("unordered", list(UNORDERED).index(name))
    assert all(outcome.status is None for outcome in ended), findings(ended)
    assert not all((outcome.arrays[1] == UNORDERED[name]).all() for outcome in ended)
    lines = (KERNELS / "unordered.cu").read_text().splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if text.endswith(f"// race: {name}"))
    races = [str(found["message"]) for found in findings(ended) if found["kind"] == "race"]
    assert any(f"(line {line})" in race and race.count("(line ") == 2 for race in races), races


def test_code_for_warps_in_lockstep_is_reported_in_the_first_order() -> None:
    (ended,) = outcomes("unordered", list(UNORDERED).index("volatile_in_a_warp"), orders=ORDERS[:1])
    assert not (ended.arrays[1] == TOTAL).all()
    lines = (KERNELS / "unordered.cu").read_text().splitlines()
    race = next(found for found in findings([ended]) if found["kind"] == "race")
    assert race["severity"] == "warning"
    assert "volatile_in_a_warp" in lines[int(str(race["line"])) - 1]
    message = str(race["message"])
    assert "__syncwarp() is enough if no other warp uses these elements" in message
    assert "threads of a warp need not run in lockstep" in message


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("name", ORDERLY)
def test_an_orderly_program_is_right_in_all_orders_and_nothing_is_reported(name: str) -> None:
    ended = outcomes("orderly", list(ORDERLY).index(name))
    assert not findings(ended)
    for outcome in ended:
        np.testing.assert_array_equal(outcome.arrays[1], ORDERLY[name])


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("name", OVERWRITTEN)
def test_what_is_overwritten_before_it_is_read_is_wrong_each_time_when_reads_come_late(name: str) -> None:
    ended = outcomes("overwritten", list(OVERWRITTEN).index(name), orders=ORDERS + LATE_READS, times=3)
    assert all(outcome.status is None for outcome in ended), findings(ended)
    right = [bool((outcome.arrays[1] == OVERWRITTEN[name]).all()) for outcome in ended]
    orders = len(ORDERS + LATE_READS)
    assert all(right[: len(ORDERS)])
    assert not all(right[len(ORDERS) : orders])
    assert right[orders:] == right[:orders] * 2, "the orders are the same each time"
    source = (KERNELS / "overwritten.cu").read_text().splitlines()
    races = [source[int(str(found["line"])) - 1] for found in findings(ended) if found["kind"] == "race"]
    assert any(f"// race: {name}" in line for line in races)


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("name", ORDERLY)
def test_an_orderly_program_is_right_when_reads_come_late(name: str) -> None:
    for outcome in outcomes("orderly", list(ORDERLY).index(name), orders=LATE_READS):
        assert outcome.status is None
        np.testing.assert_array_equal(outcome.arrays[1], ORDERLY[name])


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("name", BENIGN)
def test_a_race_that_does_no_harm_is_right_in_all_orders(name: str) -> None:
    ended = outcomes("benign", list(BENIGN).index(name), orders=ORDERS + LATE_READS, times=2)
    for outcome in ended:
        assert outcome.status is None, outcome.diagnostics
        np.testing.assert_array_equal(outcome.arrays[1], BENIGN[name])
    races = {found["kind"] for found in findings(ended)}
    assert races == (set() if name == "exchange_in_warps" else {"race"})


@pytest.mark.parametrize("name", LUCKY)
def test_what_is_right_by_luck_is_wrong_in_one_of_the_orders(name: str) -> None:
    ended = outcomes("lucky", list(LUCKY).index(name))
    assert not all((outcome.arrays[1] == LUCKY[name]).all() for outcome in ended)


@pytest.mark.usefixtures("cores")
@pytest.mark.parametrize("name", ["zero_and_add", "carry", "last_block_of_all"])
def test_large_cases_do_not_start_blocks_in_ascending_order(name: str) -> None:
    right = [
        bool((outcome.arrays[1] == RACY[name]).all())
        for outcome in outcomes("racy", list(RACY).index(name), orders=(RunFlag.NONE,), times=4)
    ]
    assert not all(right)
