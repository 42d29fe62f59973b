"""Tests findings on kernels with register spills, at the line of their launch."""

from judge.evidence.spills import spill_notes
from judge.report import Diagnostic, KernelResources
from problems.vocabulary import Severity
from sandbox.ptxas import LEAST_SPILLED_BYTES

SOURCE = "__global__ void add(float* x);\nvoid solve() {\n  add<<<blocks, threads>>>(x);\n}"
LAUNCH = Diagnostic(Severity.NOTE, "launch", "add<<<(4,1,1), (256,1,1)>>>", "add")


def kernel(name: str, stores: int, loads: int) -> KernelResources:
    return KernelResources(name, 255, 0, 0, stores, loads)


def test_a_launched_kernel_that_spills() -> None:
    (found,) = spill_notes([LAUNCH], SOURCE, [kernel("add(float*)", 24, 40)])
    assert (found.kind, found.kernel, found.line) == ("spills", "add", 3)
    assert "has 255 registers per thread" in found.message
    assert "spills 64 bytes" in found.message


def test_kernels_that_spill_little_or_did_not_run_are_left_alone() -> None:
    assert spill_notes([LAUNCH], SOURCE, [kernel("add(float*)", LEAST_SPILLED_BYTES - 1, 0)]) == ()
    assert spill_notes([LAUNCH], SOURCE, [kernel("other(float*)", 64, 64)]) == ()
    assert spill_notes([], SOURCE, [kernel("add(float*)", 64, 64)]) == ()
