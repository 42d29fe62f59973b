"""Tests that notes on sums in half precision name the line of the sum and its error, for Triton programs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from judge.evidence.rounded_sums import error_of
from judge.report import Diagnostic
from problems.vocabulary import Severity
from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import triton_command
from sandbox.spec import Limits
from tests.integration.sandbox.talk import Talk

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("triton-rounded-sums")]

SOURCE = """
import triton
import triton.language as tl

@triton.jit
def looped(x, out, n, KIND: tl.constexpr):
    i = tl.arange(0, 16)
    acc = tl.zeros((16,), KIND)
    for k in range(0, n, 16):
        acc += tl.load(x + k + i).to(KIND)
    tl.store(out + i, acc.to(tl.float32))

@triton.jit
def at_once(x, out, n, KIND: tl.constexpr):
    i = tl.arange(0, 4096)
    tl.store(out, tl.sum(tl.load(x + i).to(KIND), axis=0).to(tl.float32))

def solve(x, out, n, which):
    kind = (tl.float32, tl.float16, tl.bfloat16)[which % 3]
    (looped, at_once)[which // 3][(1,)](x, out, n, KIND=kind)
"""
LINES = [10, 16]
KINDS = ["float32", "float16", "bfloat16"]
N = 4096


@pytest.fixture
def talk(backend: Bubblewrap) -> Iterator[Talk]:
    with Talk(backend, triton_command(Limits(wall_s=300, cpu_s=300, memory_mib=1024))) as started:
        assert started.load(SOURCE, {"arguments": []}), started.findings()
        yield started


def notes(talk: Talk, which: int) -> tuple[list[dict[str, Any]], np.ndarray]:
    x = np.random.default_rng(1).uniform(0, 1, N).astype(np.float32)
    out = np.zeros(16, np.float32)
    assert talk.run([x, out, ("int32", N), ("int32", which)]), talk.findings()
    return [found for found in talk.findings() if found["kind"] == "rounded_sum"], out


@pytest.mark.parametrize("which", [1, 2, 4, 5])
def test_a_sum_in_half_precision_is_told_at_its_line(talk: Talk, which: int) -> None:
    (note,), _ = notes(talk, which)
    assert note["line"] == LINES[which // 3]
    assert note["kernel"] == ("looped", "at_once")[which // 3]
    terms, way = (256, ", one after the other, to ") if which < 3 else (4096, ", to ")
    assert f"this line adds up {terms} terms in {KINDS[which % 3]}{way}" in note["message"]
    error = error_of(Diagnostic(Severity.NOTE, "rounded_sum", note["message"], "looped", line=note["line"]))
    assert 1e-5 < error < 1


@pytest.mark.parametrize("which", [0, 3])
def test_a_sum_in_float32_is_not_told(talk: Talk, which: int) -> None:
    assert notes(talk, which)[0] == []


@pytest.mark.parametrize(("which", "epsilon"), [(4, 2**-11), (5, 2**-8)])
def test_a_sum_of_a_block_rounds_each_addition(talk: Talk, which: int, epsilon: float) -> None:
    _, out = notes(talk, which)
    x = np.random.default_rng(1).uniform(0, 1, N).astype(np.float32)
    assert abs(out[0] - x.sum()) < 12 * epsilon * x.sum()
