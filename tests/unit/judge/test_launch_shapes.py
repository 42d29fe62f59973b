"""Tests findings on launches that leave most of a GPU idle, at the line of the launch."""

import pytest

from judge.evidence.launch_shapes import LEAST_INPUT_BYTES, shape_notes
from judge.report import Diagnostic
from problems.vocabulary import Severity

SOURCE = """\
__global__ void add(float* x);
void solve() {
  add<<<blocks, threads>>>(x);
  sum<float><<<1, 32>>>(x);
}"""


def notes(*launches: str, input_bytes: int = LEAST_INPUT_BYTES, hidden: bool = False, source: str = SOURCE):
    said = [Diagnostic(Severity.NOTE, "launch", text, "add", hidden=hidden) for text in launches]
    return shape_notes(said, source, input_bytes)


def test_blocks_that_are_not_whole_warps() -> None:
    (found,) = notes("add<<<(100,1,1), (8,1,1)>>>", "sum<float><<<(1,1,1), (32,1,1)>>>")
    assert (found.kind, found.kernel, found.line) == ("low_occupancy", "add", 3)
    assert found.severity is Severity.NOTE
    assert "24 of 32 lanes are idle" in found.message
    assert "with 8 threads in each of 100 blocks" in found.message


def test_a_kernel_is_named_once() -> None:
    assert len(notes("add<<<(100,1,1), (8,1,1)>>>", "add<<<(200,1,1), (8,1,1)>>>")) == 1


@pytest.mark.parametrize("launch", ["add<<<(100,1,1), (48,1,1)>>>", "add<<<(100,1,1), (40,1,1)>>>"])
def test_a_second_warp_counts_with_its_idle_lanes(launch: str) -> None:
    assert len(notes(launch)) == 1


@pytest.mark.parametrize(
    "launch",
    ["add<<<(100,1,1), (100,1,1)>>>", "add<<<(63,1,1), (8,1,1)>>>", "add<<<(100,1,1), (32,1,1)>>>"],
)
def test_few_idle_lanes_and_few_blocks_are_left_alone(launch: str) -> None:
    assert notes(launch) == ()


def test_single_blocks_for_much_input() -> None:
    one = "add<<<(1,1,1), (256,1,1)>>>"
    (found,) = notes(one, "sum<float><<<(1,1,1), (32,1,1)>>>")
    assert found.line == 3
    assert f"{LEAST_INPUT_BYTES} bytes of input" in found.message
    assert notes(one, input_bytes=LEAST_INPUT_BYTES - 1) == ()
    assert notes(one, "sum<float><<<(2,1,1), (32,1,1)>>>") == ()


def test_no_line_if_several_launches_may_be_meant() -> None:
    (found,) = notes("add<<<(100,1,1), (8,1,1)>>>", source=SOURCE + "\nvoid f() { add<<<1, 8>>>(x); }")
    assert found.line is None


def test_what_hidden_cases_launched_stays_hidden() -> None:
    (found,) = notes("add<<<(100,1,1), (8,1,1)>>>", hidden=True)
    assert found.hidden


def test_a_program_without_launches_has_no_notes() -> None:
    assert notes() == ()
