"""Operations that give infinity in float16 are noted in race mode, once for each line."""

import numpy as np
import pytest

from sandbox.wire import RunFlag
from tests.integration.functional.harness import Runner

pytestmark = pytest.mark.integration
WATCHED = RunFlag.DETERMINISTIC | RunFlag.RACES
SOURCE = """\
#include <cuda_fp16.h>
__global__ void overflow(const float* x, __half* y, int which) {
  int i = threadIdx.x;
  __half a = __float2half(x[i]);
  if (which == 0) y[i] = __hadd(a, a);
  if (which == 1) y[i] = __hmul(a, a);
  if (which == 2) y[i] = __hfma(a, a, a);
  if (which == 3) y[i] = __float2half(x[i] * 4.0f);
  if (which == 4) y[i] = __float2half(x[i] / 0.0f);
  if (which == 5) { __half2 b = __halves2half2(a, a); y[i] = __high2half(__hmul2(b, b)); }
  if (which == 6) y[i] = __double2half(double(x[i]) * 4.0);
}
extern "C" void solve(const float* x, __half* y, int which) { overflow<<<1, 64>>>(x, y, which); }
"""


@pytest.fixture(scope="module")
def runner():
    runner = Runner(SOURCE)
    yield runner
    runner.close()


def lines(runner: Runner, which: int, value: float, flags: RunFlag = WATCHED) -> list[int]:
    outcome = runner.call(np.full(64, value, np.float32), np.zeros(64, np.float16), which, flags=flags)
    assert outcome.status is None, outcome.diagnostics
    return [found["line"] for found in outcome.diagnostics if found["kind"] == "half_overflow"]


def test_what_stays_finite_is_not_noted(runner: Runner) -> None:
    assert not any(lines(runner, which, 2.0) for which in (0, 1, 2, 3, 5, 6))


def test_infinity_from_infinity_is_no_overflow(runner: Runner) -> None:
    assert lines(runner, 0, np.inf) == []
    assert lines(runner, 4, 2.0) == []


def test_other_runs_note_nothing(runner: Runner) -> None:
    assert lines(runner, 0, 50000.0, RunFlag.DETERMINISTIC) == []


@pytest.mark.parametrize(("which", "line"), [(0, 5), (1, 6), (2, 7), (3, 8), (5, 10), (6, 11)])
def test_each_operation_names_its_line(runner: Runner, which: int, line: int) -> None:
    assert lines(runner, which, 50000.0) == [line]
