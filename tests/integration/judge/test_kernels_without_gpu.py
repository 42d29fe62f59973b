"""The referee's kernels in functional mode: the same source that NVRTC compiles, executed on the CPU.

These tests run on machines without a GPU. tests/gpu/test_checker.py runs the kernels on the device.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import judge.gpu.device
from judge.gpu.device.places import OVERFLOW, PLACE, read_places, tiles_of
from judge.runner.comparison import SHOWN_MISMATCHES, OutputComparison
from judge.runner.poison import BENDS, bent
from problems.schema import Tolerance
from problems.vocabulary import Dtype
from tests.integration.functional.harness import Runner
from tests.unit.judge.outputs import Output, make_output

pytestmark = [
    pytest.mark.integration,
    pytest.mark.xdist_group("kernels-without-gpu"),  # compiled once, not in every process
]

DEVICE = Path(judge.gpu.device.__file__).parent
KERNELS = "\n".join((DEVICE / name).read_text() for name in ("common.cu", "kernels.cu"))
KINDS = list(Dtype)
CASES = "".join(
    f"""
    case {index}: {{
      using Got = {cuda}::Got;
      using Want = {cuda}::Want;
      auto* held = poisoned ? (const Got*)poison : nullptr;
      count_{dtype}<<<tiles, kThreads>>>((const Got*)got, (const Want*)want, held, count, absolute, relative,
        overflow, nan_matches, tile_counts, (u64*)totals);
      first_{dtype}<<<1, kThreads>>>((const Got*)got, (const Want*)want, held, count, absolute, relative,
        overflow, nan_matches, tile_counts, tiles, {SHOWN_MISMATCHES}, (Place*)places);
      break;
    }}"""
    for index, (dtype, cuda) in enumerate(
        {
            Dtype.FLOAT64: "Float64",
            Dtype.FLOAT32: "Float32",
            Dtype.FLOAT16: "Float16",
            Dtype.BFLOAT16: "BFloat16",
            Dtype.INT64: "Exact<u64>",
            Dtype.INT32: "Exact<u32>",
            Dtype.INT8: "Exact<u8>",
            Dtype.UINT32: "Exact<u32>",
            Dtype.UINT8: "Exact<u8>",
            Dtype.BOOL: "Bool",
        }.items()
    )
)
COMPARE = f"""{KERNELS}
extern "C" void solve(const unsigned char* got, const unsigned char* want, const unsigned char* poison,
                      unsigned* tile_counts, long long* totals, long long* places, int dtype, int count,
                      double absolute, double relative, double overflow, int nan_matches, int poisoned) {{
  const int tiles = (count + kTile - 1) / kTile;
  switch (dtype) {{{CASES}
  }}
}}
"""
RANDOM = f"""{KERNELS}
extern "C" void solve(unsigned char* bytes, unsigned char* copy, long long* differs, int offset, int count,
                      unsigned key0, unsigned key1, unsigned nonce0, unsigned nonce1, int touched) {{
  fill_random<<<3, kThreads>>>(bytes + offset, copy, count, key0, key1, nonce0, nonce1, 0, 0);
  check_random<<<3, kThreads>>>(bytes + offset, count, key0, key1, nonce0, nonce1, (u64*)differs);
  check_equal<<<3, kThreads>>>(bytes + offset, copy, count, (u64*)differs + 1);
  if (touched >= 0) cudaMemset(bytes + offset + touched, 1 + (nonce0 & 1), 1);
  check_random<<<3, kThreads>>>(bytes + offset, count, key0, key1, nonce0, nonce1, (u64*)differs + 2);
  check_equal<<<3, kThreads>>>(bytes + offset, copy, count, (u64*)differs + 3);
}}
"""
BENT = f"""{KERNELS}
extern "C" void solve(unsigned char* bytes, unsigned char* copy, unsigned char* straight, int count,
                      unsigned ones_low, unsigned ones_high, unsigned flips_low, unsigned flips_high) {{
  const u64 ones = u64(ones_high) << 32 | ones_low, flips = u64(flips_high) << 32 | flips_low;
  fill_random<<<3, kThreads>>>(bytes, copy, count, 1, 2, 3, 4, ones, flips);
  fill_random<<<3, kThreads>>>(straight, nullptr, count, 1, 2, 3, 4, 0, 0);
}}
"""


@pytest.fixture(scope="module")
def bending() -> Iterator[Runner]:
    with closing(Runner(BENT)) as runner:
        yield runner


@pytest.fixture(scope="module")
def comparing() -> Iterator[Runner]:
    with closing(Runner(COMPARE)) as runner:
        yield runner


@pytest.fixture(scope="module")
def random() -> Iterator[Runner]:
    with closing(Runner(RANDOM)) as runner:
        yield runner


def compare(runner: Runner, output: Output) -> OutputComparison:
    dtype = output.argument.dtype
    tolerance = output.argument.tolerance or Tolerance()
    outcome = runner.call(
        output.got.view(np.uint8),
        output.expected.view(np.uint8),
        (output.got if output.poison is None else output.poison).view(np.uint8),
        np.zeros(tiles_of(output.got.size), np.uint32),
        np.zeros(2, np.int64),
        np.zeros(SHOWN_MISMATCHES * 4, np.int64),
        KINDS.index(dtype),
        output.got.size,
        tolerance.absolute,
        tolerance.relative,
        OVERFLOW.get(dtype, 0.0),
        int(tolerance.nan),
        int(output.poison is not None),
    )
    assert outcome.status is None, outcome.diagnostics
    wrong, unwritten = (int(total) for total in outcome.arrays[4])
    places = outcome.arrays[5].view(PLACE)
    return read_places(output.argument, output.shape, wrong=wrong, unwritten=unwritten, places=places)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize(
    ("shape", "shares"),
    [
        ((1,), {"wrong": 1.0}),
        ((5000,), {}),
        ((9000,), {"wrong": 0.0005}),
        ((37, 61), {"wrong": 0.3, "unwritten": 0.3, "special": 0.3}),
        ((2, 3, 1000), {"unwritten": 1.0}),
        ((3000,), {"special": 1.0, "wrong": 0.1}),
    ],
)
def test_outputs_compare_as_on_the_host(
    comparing: Runner, dtype: Dtype, shape: tuple[int, ...], shares: dict[str, Any]
) -> None:
    for seed, nan in ((1, False), (2, True)):
        output = make_output(dtype, shape, seed=seed, tolerance=Tolerance(1e-3, 1e-3, nan=nan), **shares)
        assert compare(comparing, output) == output.compared_on_the_host()


def test_without_poison_nothing_is_unwritten(comparing: Runner) -> None:
    output = make_output(Dtype.FLOAT32, (500,), seed=1, wrong=0.5, poisoned=False)
    assert compare(comparing, output) == output.compared_on_the_host()


def test_random_bytes_are_those_of_the_paper(random: Runner) -> None:
    outcome = random.call(
        np.zeros(16, np.uint8), np.zeros(16, np.uint8), np.zeros(4, np.int64), 0, 16, 0, 0, 0, 0, -1
    )
    words = outcome.arrays[0].view("<u4")
    assert [f"{word:08x}" for word in words] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]


@pytest.mark.parametrize(("offset", "count"), [(0, 4096), (0, 5000), (3, 5000), (16, 1), (5, 31)])
def test_a_byte_that_was_touched_is_seen(random: Runner, offset: int, count: int) -> None:
    for touched in (-1, 0, count // 2, count - 1):
        outcome = random.call(
            np.zeros(offset + count + 7, np.uint8),
            np.zeros(count, np.uint8),
            np.zeros(4, np.int64),
            *(offset, count, 11, 22, 33, 44, touched),
        )
        values, copy, differs = outcome.arrays
        was = copy[touched] if touched >= 0 else 0
        assert not values[:offset].any()
        assert not values[offset + count :].any()
        assert list(differs[:2]) == [0, 0]
        changed = int(touched >= 0 and values[offset + touched] != was)
        assert list(differs[2:]) == [changed, changed]


def test_a_long_count_of_random_bytes_has_no_pattern(random: Runner) -> None:
    outcome = random.call(
        np.zeros(60000, np.uint8), np.zeros(60000, np.uint8), np.zeros(4, np.int64), 0, 60000, 1, 2, 3, 4, -1
    )
    counts = np.bincount(outcome.arrays[0], minlength=256)
    assert abs(counts - 60000 / 256).max() < 90


@pytest.mark.parametrize("dtype", KINDS)
def test_poison_is_bent_as_on_the_host(bending: Runner, dtype: Dtype) -> None:
    bend, count = BENDS[dtype], 5003
    halves = [int(half) for mask in (bend.ones, bend.flips) for half in np.array([mask], "u8").view("u4")]
    outcome = bending.call(
        *(np.zeros(count, np.uint8) for _ in range(3)), count, *(half - (half >> 31 << 32) for half in halves)
    )
    values, copy, straight = outcome.arrays
    np.testing.assert_array_equal(values, bent(straight, bend))
    np.testing.assert_array_equal(values, copy)
