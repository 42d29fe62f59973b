"""The span of copies and kernels falls only if streams, events and the host let them overlap."""

import json
from collections.abc import Iterator
from contextlib import closing
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest

from judge.cases import ORDERS
from judge.evidence.diagnostics import parse_diagnostics
from judge.evidence.sums import Event, Sums, parse_sums
from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner

pytestmark = pytest.mark.integration
SOURCE = (Path(__file__).parent / "kernels" / "overlap.cu").read_text()
CHUNKS = 8
N = CHUNKS * 256
COPY = 4 * N // CHUNKS  # the bytes of a chunk, and the time of its copy
KERNEL = 2 * COPY // 4  # reads and writes the chunk


class Way(IntEnum):
    """How the source submits its chunks."""

    ONE_STREAM = 0
    TWO_STREAMS = 1
    HANDED_OVER = 2
    IDLE_STREAM = 3
    WAITING_HOST = 4


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with closing(Runner(SOURCE)) as opened:
        yield opened


def submitted(runner: Runner, way: Way) -> Sums:
    flags = ORDERS[0] | RunFlag.COUNT | RunFlag.SUMS
    outcome = runner.call(np.zeros(N, np.float32), N, way, flags=flags, memory=["pinned"])
    assert outcome.status is None
    assert set(outcome.arrays[0]) == {1}
    (sums,) = parse_sums(parse_diagnostics("\n".join(map(json.dumps, outcome.diagnostics)).encode()))
    return sums


@pytest.mark.parametrize("way", [Way.ONE_STREAM, Way.HANDED_OVER, Way.IDLE_STREAM, Way.WAITING_HOST])
def test_what_is_ordered_takes_its_time(runner: Runner, way: Way) -> None:
    assert submitted(runner, way).pipeline_span == CHUNKS * (2 * COPY + KERNEL)


def test_two_streams_overlap(runner: Runner) -> None:
    # Each stream has half of the chunks. The second one begins a copy later.
    sums = submitted(runner, Way.TWO_STREAMS)
    assert sums.pipeline_span == CHUNKS // 2 * (2 * COPY + KERNEL) + COPY
    assert sums.events["largest_copy_bytes"] == Event(COPY)
