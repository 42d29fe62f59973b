"""Tests that all traffic of device memory is counted, so other ways to move the bytes meet no requirement."""

import json
from collections.abc import Iterator
from contextlib import closing
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from judge.evidence.diagnostics import parse_diagnostics
from judge.evidence.sums import Sum, Sums, parse_sums
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "moved_bytes.cu").read_text()
SUMMED = ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS
WIDTH = 64
ELEMENTS = WIDTH * WIDTH
BYTES = 4 * ELEMENTS
WARPS = ELEMENTS // 32
SECTORS = BYTES // 32
X = np.arange(ELEMENTS, dtype=np.float32)


class Way(IntEnum):
    """How the source reads or writes device memory."""

    POINTS = 0
    COLUMNS = 1
    BETWEEN_ROWS = 2
    BETWEEN_COLUMNS = 3
    CLAMPED = 4
    BORDER = 5
    SURFACE = 6
    ASYNC_COPIES = 7
    EMPTY_COPIES = 8
    ATOMICS = 9
    COPIED_COLUMNS = 10
    FILLED = 11
    PINNED = 12
    MANAGED = 13
    QUEUE = 14
    SHARES = 15


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def moved(runner: Runner, way: Way) -> Sums:
    outcome = runner.call(X, np.zeros(ELEMENTS, np.float32), way, flags=SUMMED)
    assert outcome.status is None
    (sums,) = parse_sums(parse_diagnostics("\n".join(map(json.dumps, outcome.diagnostics)).encode()))
    return sums


def costs(found: Sum) -> tuple[int, int, int]:
    return found.requests, found.units, found.fewest


@pytest.mark.parametrize(
    ("way", "requests", "sectors", "fewest"),
    [
        pytest.param(Way.POINTS, WARPS, SECTORS, SECTORS, id="neighbours"),
        pytest.param(Way.COLUMNS, WARPS, 8 * SECTORS, SECTORS, id="a column"),
        # 33 texels of two rows: half a sector and four, twice.
        pytest.param(Way.BETWEEN_ROWS, 1, 2 * 5, 9, id="four texels each"),
        pytest.param(Way.BETWEEN_COLUMNS, 1, 5, 5, id="no weight in the second row"),
        pytest.param(Way.CLAMPED, 1, 1, 1, id="one texel for all"),
        pytest.param(Way.BORDER, 1, 0, 0, id="beyond a border"),
        pytest.param(Way.SURFACE, 2, 2 * 4, 2 * 4, id="a surface"),
    ],
)
def test_textures_move_sectors(runner: Runner, way: Way, requests: int, sectors: int, fewest: int) -> None:
    sums = moved(runner, way)
    assert costs(sums.texture) == (requests, sectors, fewest)
    assert sums.global_load == Sum()


def test_asynchronous_copies_are_told_from_loads_in_the_same_line(runner: Runner) -> None:
    sums = moved(runner, Way.ASYNC_COPIES)
    assert costs(sums.async_load) == (WARPS, SECTORS, SECTORS)
    assert sums.global_load.units == 2 * SECTORS


def test_a_copy_that_reads_nothing_makes_no_load_asynchronous(runner: Runner) -> None:
    sums = moved(runner, Way.EMPTY_COPIES)
    assert sums.async_load == Sum()
    assert sums.global_load.units == SECTORS


def test_atomic_operations_move_sectors(runner: Runner) -> None:
    assert costs(moved(runner, Way.ATOMICS).global_atomic) == (WARPS, 8 * SECTORS, SECTORS)


def test_copies_and_fills_within_the_device_move_sectors(runner: Runner) -> None:
    # Columns are read element by element, and written one after the other.
    copied = moved(runner, Way.COPIED_COLUMNS).copied
    assert (copied.units, copied.fewest) == (8 * SECTORS + SECTORS, 2 * SECTORS)
    assert moved(runner, Way.FILLED).copied.units == SECTORS


@pytest.mark.parametrize("way", [Way.PINNED, Way.MANAGED])
def test_kernels_that_use_memory_of_the_host(runner: Runner, way: Way) -> None:
    sums = moved(runner, way)
    assert costs(sums.host) == (2 * WARPS, 2 * SECTORS, 2 * SECTORS)
    assert sums.busiest_launch * 2 == sums.kernel_requests


def test_the_first_block_empties_a_queue(runner: Runner) -> None:
    queue, shares = moved(runner, Way.QUEUE), moved(runner, Way.SHARES)
    assert queue.busiest_block > 0.9 * queue.kernel_requests
    assert shares.busiest_block * (ELEMENTS // 256) == shares.kernel_requests
