"""The sets of a timed session in host memory."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from judge.clock.contracts import Policy
from judge.clock.sets import MemorySets, copies_of, footprint_of, how_many_sets
from judge.drawn import outputs
from judge.runner.buffers import HostBuffer, HostMemory
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


def live(sets: MemorySets, number: int) -> dict[str, HostBuffer]:
    return {name: buffer(sets, number, name) for name in sets._calls[number].buffers}


def test_cleared_inputs_hold_nothing_of_an_earlier_call(sets: MemorySets) -> None:
    sets.arm(0, 1)
    land(sets, 0)
    sets.clear_inputs(0)
    assert not live(sets, 0)["x"].payload.any()


def output_of(sets: MemorySets) -> str:
    (argument,) = outputs(sets._problem)
    return argument.name


def land(sets: MemorySets, number: int) -> None:
    """Do what the gate does before a call."""
    for to, held in sets.landings(number):
        to.fill(held)


def double(sets: MemorySets, number: int) -> None:
    x = buffer(sets, number, "x").payload.view(np.float32)
    buffer(sets, number, output_of(sets)).payload.view(np.float32)[:] = x * 2


def copy(sets: MemorySets, number: int) -> None:
    """Do what the gate does after a call."""
    for live, kept in sets.outputs(number):
        live.snapshot(kept)


def call(sets: MemorySets, number: int, content: int) -> None:
    sets.arm(number, content)
    land(sets, number)
    double(sets, number)
    copy(sets, number)


def test_a_call_on_an_armed_set_is_right(sets: MemorySets) -> None:
    for number, content in ((0, 1), (2, 0), (1, 1), (2, 1), (2, 0)):
        call(sets, number, content)
        assert sets.verify(number) is None


def test_there_are_as_many_sets_and_contents_as_were_asked_for(sets: MemorySets) -> None:
    assert (sets.count, sets.contents) == (3, 2)


def test_an_armed_set_holds_nothing_of_its_contents_before_they_land(sets: MemorySets) -> None:
    call(sets, 0, 0)
    before = {name: bytes(held.payload) for name, held in live(sets, 0).items()}
    secrets = {bytes(held) for held in contents(sets._problem, 3).values()}
    sets.arm(0, 1)
    now = {name: bytes(held.payload) for name, held in live(sets, 0).items()}
    assert not secrets & set(now.values())
    assert now.get("y", b"poison") != before.get("y")
    land(sets, 0)
    assert bytes(buffer(sets, 0, "x").payload) == bytes(contents(sets._problem, 3)["x"])


def test_what_was_written_before_the_contents_land_is_gone(sets: MemorySets) -> None:
    for _ in range(2):
        sets.arm(0, 1)
        buffer(sets, 0, output_of(sets)).payload[:] = contents(sets._problem, 3)["x"]
        land(sets, 0)
        copy(sets, 0)
        finding = sets.verify(0)
        assert finding is not None
        assert (finding.verdict, finding.mismatched) == (Verdict.WRONG_ANSWER, 37)


def test_zeros_land_in_outputs_that_begin_with_zeros() -> None:
    zeroed = replace(DOUBLING.arguments[1], zeroed=True)
    problem = replace(DOUBLING, arguments=(DOUBLING.arguments[0], zeroed, *DOUBLING.arguments[2:]))
    with MemorySets(problem, CASE, HostMemory(), [contents(problem, 1), contents(problem, 3)], 2) as sets:
        for number in (0, 1, 0):
            sets.arm(number, 1)
            buffer(sets, number, "y").payload[:] = 1
            land(sets, number)
            assert not buffer(sets, number, "y").payload.any()


def test_an_untouched_output_is_wrong(sets: MemorySets) -> None:
    call(sets, 0, 0)
    sets.arm(0, 0)
    land(sets, 0)
    copy(sets, 0)
    finding = sets.verify(0)
    assert finding is not None
    assert finding.verdict is Verdict.WRONG_ANSWER
    assert finding.mismatched == 37


def test_an_answer_to_other_contents_is_wrong(sets: MemorySets) -> None:
    call(sets, 0, 0)
    kept = buffer(sets, 0, output_of(sets)).payload.copy()
    sets.arm(0, 1)
    land(sets, 0)
    buffer(sets, 0, output_of(sets)).payload[:] = kept
    copy(sets, 0)
    finding = sets.verify(0)
    assert finding is not None
    assert finding.verdict is Verdict.WRONG_ANSWER
    assert finding.message.startswith("In a timed repetition: ")
    assert finding.mismatched == 37


def test_what_is_written_after_the_copy_is_rejected(sets: MemorySets) -> None:
    call(sets, 0, 0)
    buffer(sets, 0, output_of(sets)).payload[0] ^= 1
    finding = sets.verify(0)
    assert finding is not None
    assert finding.verdict is Verdict.REJECTED


def test_descriptors_follow_set_by_set(sets: MemorySets) -> None:
    arrays = len(live(sets, 0))
    assert len(set(sets.descriptors)) == 3 * arrays
    assert sets.descriptors[:arrays] == sets._calls[0].descriptors


def test_a_changed_input_is_rejected() -> None:
    with MemorySets(DOUBLING, CASE, HostMemory(), [contents(DOUBLING, 1)] * 2, 2) as sets:
        call(sets, 0, 0)
        buffer(sets, 0, "x").payload[3] ^= 1
        finding = sets.verify(0)
        assert finding is not None
        assert "x was changed" in finding.message


MIB = 2**20


@pytest.mark.parametrize(
    ("n", "free_mib", "count"),
    [
        (1 << 26, 100_000, 24),  # 512 MiB in a set: for their places
        (1 << 26, 9_000, 4),  # as many as a quarter of the memory holds
        (1 << 26, 1_000, 1),  # at least one
        (1 << 10, 100_000, 24),
        (3 << 19, 100, 1),  # little memory
    ],
)
def test_sets_are_as_many_as_places_are_wanted_and_fit(n: int, free_mib: int, count: int) -> None:
    case = replace(CASE, sizes={"n": n})
    assert how_many_sets(DOUBLING, case, Policy(), free_bytes=free_mib * MIB) == count


@pytest.mark.parametrize(("limit_sets", "count"), [(0, 24), (1, 1), (4, 2), (16, 8), (100, 24)])
def test_sets_take_half_of_what_the_program_may_have(limit_sets: int, count: int) -> None:
    """MPS counts arrays that a program is given against its limit."""
    limit_bytes = limit_sets * footprint_of(DOUBLING, CASE)
    assert how_many_sets(DOUBLING, CASE, Policy(), free_bytes=1 << 50, limit_bytes=limit_bytes) == count


@pytest.mark.parametrize("arrays", [1, 8, 31, 32])
def test_the_descriptors_of_all_sets_go_with_one_message(arrays: int) -> None:
    many = tuple(replace(DOUBLING.arguments[0], name=f"x{number}") for number in range(arrays))
    problem = replace(DOUBLING, arguments=many)
    policy = replace(Policy(), placements=1000)
    count = how_many_sets(problem, CASE, policy, free_bytes=1 << 50)
    page_and_flags = 2
    assert page_and_flags + count * arrays <= MAX_DESCRIPTORS
    assert page_and_flags + (count + 1) * arrays > MAX_DESCRIPTORS


def test_what_all_sets_share_is_a_poison_and_a_copy_of_each_output() -> None:
    band = 2 * MIB
    assert copies_of(DOUBLING, replace(CASE, sizes={"n": 1 << 20})) == 2 * (4 * MIB + band)
    assert footprint_of(DOUBLING, replace(CASE, sizes={"n": 1 << 20})) == 2 * (4 * MIB + band)


def test_a_zeroed_output_is_cleared_again_each_time() -> None:
    x, y, n = DOUBLING.arguments
    problem = replace(DOUBLING, arguments=(x, replace(y, zeroed=True), n))
    with MemorySets(problem, CASE, HostMemory(), [contents(problem, 1)], 1) as sets:
        for _ in range(3):
            sets.arm(0, 0)
            assert not buffer(sets, 0, "y").payload.any()
            land(sets, 0)
            x_now, y_now = (buffer(sets, 0, name).payload.view(np.float32) for name in ("x", "y"))
            y_now += 2 * x_now
            del x_now, y_now
            copy(sets, 0)
            assert sets.verify(0) is None
        sets.arm(0, 0)
        land(sets, 0)
        copy(sets, 0)
        found = sets.verify(0)
        assert found is not None
        assert found.verdict is Verdict.WRONG_ANSWER
