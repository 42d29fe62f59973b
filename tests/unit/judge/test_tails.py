"""Tests findings on launches of large blocks with a nearly empty last wave, at the line of the launch."""

import pytest

from judge.evidence.tails import tail_notes
from judge.report import Diagnostic, KernelResources
from problems.vocabulary import Severity

SOURCE = "__global__ void add(float* x);\nvoid solve() {\n  add<<<blocks, threads>>>(x);\n}"
A100, H100 = (8, 0), (9, 0)
LARGE = "(256,1,1), 102400>>>, 32 registers per thread"  # one block on a multiprocessor


def notes(*launches: str, capability=A100, kernels=(), hidden: bool = False):
    said = [Diagnostic(Severity.NOTE, "launch", text, "add", hidden=hidden) for text in launches]
    return tail_notes(said, SOURCE, kernels, capability)


def test_a_little_more_than_a_wave() -> None:
    (found,) = notes(f"add<<<(120,1,1), {LARGE}")
    assert (found.kind, found.kernel, found.line, found.hidden) == ("tail", "add", 3, False)
    assert "120 large blocks" in found.message
    assert "holds 1 at a time, limited by shared memory" in found.message
    assert "The last 12 run alone: 2 waves take the time of 216 blocks" in found.message
    assert "up to 44 % less time" in found.message


def test_two_blocks_of_1024_threads_fit() -> None:
    (found,) = notes("add<<<(245,1,1), (1024,1,1)>>>, 16 registers per thread")
    assert "The last 29 run alone" in found.message


@pytest.mark.parametrize(
    "launch",
    [
        pytest.param(f"add<<<(108,1,1), {LARGE}", id="one wave"),
        pytest.param(f"add<<<(20,1,1), {LARGE}", id="less than a wave"),
        pytest.param(f"add<<<(200,1,1), {LARGE}", id="a well filled last wave"),
        pytest.param(f"add<<<(2000,1,1), {LARGE}", id="many waves"),
        pytest.param("add<<<(900,1,1), (256,1,1)>>>, 16 registers per thread", id="small blocks"),
        pytest.param("add<<<(120,1,1), (256,1,1), 102400>>>", id="unknown registers"),
    ],
)
def test_other_launches_are_left_alone(launch: str) -> None:
    assert notes(launch) == ()


def test_the_largest_launch_of_a_kernel_decides() -> None:
    assert notes(f"add<<<(120,1,1), {LARGE}", f"add<<<(2000,1,1), {LARGE}") == ()


def test_a_gpu_has_its_own_multiprocessors_and_its_compiler_knows_the_registers() -> None:
    kernel = KernelResources("add(float*)", 32, 0, 0, 0, 0)
    launch = "add<<<(140,1,1), (256,1,1), 150000>>>"
    (found,) = notes(launch, capability=H100, kernels=[kernel])
    assert "132 multiprocessors (H100)" in found.message
    assert notes(launch, capability=(12, 0), kernels=[kernel]) == ()


def test_what_hidden_cases_launched_stays_hidden() -> None:
    assert notes(f"add<<<(120,1,1), {LARGE}", hidden=True)[0].hidden
