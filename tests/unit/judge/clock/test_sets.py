"""The sets of a timed session in host memory."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from judge.buffers import HostBuffer, HostMemory
from judge.clock.contracts import Policy
from judge.clock.sets import MemorySets, how_many_sets
from problems.schema import Argument, Problem, Tolerance
from problems.vocabulary import Dtype, Role, Verdict
from sandbox.wire import MAX_DESCRIPTORS
from tests.unit.judge.packages import DOUBLING, N

CASE = DOUBLING.cases[1]
SORTING = replace(
    DOUBLING,
    arguments=(Argument("x", Role.INOUT, Dtype.FLOAT32, shape=(N,), tolerance=Tolerance(1e-6, 1e-6)),),
)


def contents(problem: Problem, factor: float) -> dict[str, npt.NDArray[np.uint8]]:
    x = (np.arange(37, dtype=np.float32) + 1) * np.float32(factor)
    expected = "expected-x" if problem is SORTING else "expected-y"
    return {"x": x.view(np.uint8), expected: (x.astype(np.float64) * 2).view(np.uint8)}


@pytest.fixture(params=[DOUBLING, SORTING], ids=["in-out", "inout"])
def sets(request: pytest.FixtureRequest) -> Iterator[MemorySets]:
    problem = request.param
    drawn = [contents(problem, 1), contents(problem, 3)]
    with MemorySets(problem, CASE, HostMemory(), drawn, 3) as made:
        yield made


def buffer(sets: MemorySets, number: int, name: str) -> HostBuffer:
    found = sets._calls[number].buffers[name]
    assert isinstance(found, HostBuffer)
    return found


def double(sets: MemorySets, number: int) -> None:
    x = buffer(sets, number, "x").payload.view(np.float32)
    output = "x" if sets.once else "y"
    buffer(sets, number, output).payload.view(np.float32)[:] = x * 2


def test_a_call_on_an_armed_set_is_right(sets: MemorySets) -> None:
    sets.arm([0, 1, 2], [1, 0, 1])
    for number in (0, 1, 2):
        assert sets.untouched(number)
        double(sets, number)
        assert not sets.untouched(number)
    sets.snapshot([2, 0, 1])
    assert [sets.verify(number) for number in (0, 1, 2)] == [None, None, None]


def test_arming_brings_read_and_written_contents_back(sets: MemorySets) -> None:
    for content in (0, 1, 0):
        sets.arm([1], [content])
        double(sets, 1)
        sets.snapshot([1])
        assert sets.verify(1) is None


def test_a_hidden_set_holds_nothing_of_its_contents(sets: MemorySets) -> None:
    sets.arm([0], [1])
    before = {name: bytes(buffer(sets, 0, name).payload) for name in sets._calls[0].buffers}
    sets.hide([0])
    assert all(bytes(buffer(sets, 0, name).payload) != held for name, held in before.items())
    sets.complete(0, 0)
    double(sets, 0)
    sets.snapshot([0])
    assert sets.verify(0) is None


def test_an_answer_to_other_contents_is_wrong(sets: MemorySets) -> None:
    sets.arm([0], [0])
    double(sets, 0)
    output = "x" if sets.once else "y"
    kept = buffer(sets, 0, output).payload.copy()
    sets.arm([0], [1])
    buffer(sets, 0, output).payload[:] = kept
    sets.snapshot([0])
    finding = sets.verify(0)
    assert finding is not None
    assert finding.verdict is Verdict.WRONG_ANSWER
    assert finding.message.startswith("In a timed repetition: ")
    assert finding.mismatched == 37


def test_what_is_written_after_the_snapshot_is_rejected(sets: MemorySets) -> None:
    sets.arm([0], [0])
    double(sets, 0)
    sets.snapshot([0])
    buffer(sets, 0, "x" if sets.once else "y").payload[0] ^= 1
    finding = sets.verify(0)
    assert finding is not None
    assert finding.verdict is Verdict.REJECTED


def test_descriptors_follow_set_by_set(sets: MemorySets) -> None:
    arrays = 1 if sets.once else 2
    assert len(set(sets.descriptors)) == 3 * arrays
    assert sets.descriptors[:arrays] == sets._calls[0].descriptors
    assert sets.output_bytes == 37 * 4


def test_a_changed_input_is_rejected() -> None:
    with MemorySets(DOUBLING, CASE, HostMemory(), [contents(DOUBLING, 1)] * 2, 2) as sets:
        sets.arm([0], [0])
        double(sets, 0)
        buffer(sets, 0, "x").payload[3] ^= 1
        sets.snapshot([0])
        finding = sets.verify(0)
        assert finding is not None
        assert "x was changed" in finding.message


MIB = 2**20


@pytest.mark.parametrize(
    ("n", "l2_mib", "free_mib", "count"),
    [
        (1 << 26, 50, 100_000, 8),  # 512 MiB in a set: more than the cache needs, for their places
        (1 << 26, 50, 17_000, 4),  # as many as a quarter of the memory holds
        (1 << 26, 50, 4_000, 2),  # at least two
        (3 << 19, 48, 100_000, 16),  # 12 MiB
        (1 << 10, 50, 100_000, 64),  # 8 KiB: the most that are allowed
        (3 << 19, 48, 300, 9),  # little memory
        (3 << 19, 0, 100_000, 8),  # a cache that nobody knows of
    ],
)
def test_sets_are_larger_than_the_cache_and_fit(n: int, l2_mib: int, free_mib: int, count: int) -> None:
    case = replace(CASE, sizes={"n": n})
    found = how_many_sets(DOUBLING, case, Policy(), l2_bytes=l2_mib * MIB, free_bytes=free_mib * MIB)
    assert found == count
    assert 1 + found * 2 <= MAX_DESCRIPTORS
