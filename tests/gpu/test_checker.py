"""Tests that comparisons on the device and on the host give exactly the same values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from judge.dtypes import narrow
from judge.runner.comparison import OutputComparison
from problems.schema import Tolerance
from problems.vocabulary import Dtype
from tests.gpu.memories import median_ms, on_device, opened_memory, say
from tests.unit.judge.outputs import Output, make_output, outputs

if TYPE_CHECKING:
    from judge.gpu.device.memory import DeviceMemory

pytestmark = pytest.mark.gpu

MB = 10**6


@pytest.fixture(scope="module")
def memory() -> Iterator["DeviceMemory"]:
    with opened_memory() as opened:
        yield opened


def compare(memory: "DeviceMemory", output: Output) -> OutputComparison:
    return memory.compare(
        output.argument,
        output.shape,
        got=on_device(output.got),
        expected=on_device(output.expected),
        poison=None if output.poison is None else on_device(output.poison),
    )


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(output=outputs())
def test_the_device_compares_as_the_host_does(memory: "DeviceMemory", output: Output) -> None:
    assert compare(memory, output) == output.compared_on_the_host()


@pytest.mark.parametrize("dtype", list(Dtype))
@pytest.mark.parametrize("nan", [False, True])
def test_edges_of_every_dtype(memory: "DeviceMemory", dtype: Dtype, nan: bool) -> None:
    tolerance = Tolerance(1e-3, 1e-3, nan=nan)
    for seed in range(5):
        output = make_output(
            dtype, (70_001,), seed=seed, special=0.5, wrong=0.01, unwritten=0.01, tolerance=tolerance
        )
        assert compare(memory, output) == output.compared_on_the_host()


def test_bounds_without_tolerance_are_exact(memory: "DeviceMemory") -> None:
    for dtype in (Dtype.FLOAT64, Dtype.FLOAT32, Dtype.FLOAT16, Dtype.BFLOAT16):
        output = make_output(dtype, (5_000,), seed=7, special=0.3, tolerance=Tolerance())
        assert compare(memory, output) == output.compared_on_the_host()


@pytest.mark.parametrize("dtype", [dtype for dtype in Dtype if dtype.is_float])
def test_a_subnormal_number_is_not_zero(memory: "DeviceMemory", dtype: Dtype) -> None:
    """Compilers may flush subnormal numbers to zero, which would hide them where zero is expected."""
    output = make_output(dtype, (100,), seed=1, tolerance=Tolerance())
    bits = np.dtype(f"u{dtype.itemsize}")
    output.expected[:] = 0
    output.got.view(bits)[:] = np.arange(100) % 2  # zero and the least positive number
    assert compare(memory, output).mismatched == 50
    assert compare(memory, output) == output.compared_on_the_host()


@pytest.mark.parametrize("at", [0, 2047, 2048, 524_287, 9_999_999])
def test_a_single_wrong_element_is_found_wherever_it_is(memory: "DeviceMemory", at: int) -> None:
    output = make_output(Dtype.INT32, (10_000_000,), seed=1)
    output.got.view(np.uint8)[4 * at] ^= 1
    found = compare(memory, output)
    assert (found.mismatched, [mismatch.index for mismatch in found.mismatches]) == (1, [(at,)])


def test_the_first_mismatches_are_the_first(memory: "DeviceMemory") -> None:
    output = make_output(Dtype.FLOAT32, (1000, 1000), seed=1)
    output.got[:] = narrow(output.expected, Dtype.FLOAT32)  # nothing wrong but what follows
    places = np.sort(np.random.default_rng(0).choice(10**6, 5000, replace=False))
    output.got[places] = 1e6
    found = compare(memory, output)
    assert found.mismatched == 5000
    assert [np.ravel_multi_index(m.index, (1000, 1000)) for m in found.mismatches] == list(places[:10])
    assert found == output.compared_on_the_host()


def test_nothing_to_compare(memory: "DeviceMemory") -> None:
    output = make_output(Dtype.FLOAT32, (0,), seed=1)
    assert compare(memory, output) == OutputComparison(0, 0, 0, ())


@pytest.mark.parametrize("dtype", [Dtype.FLOAT32, Dtype.FLOAT16, Dtype.FLOAT64, Dtype.INT8])
@pytest.mark.parametrize("wrong", [0.0, 1.0])
def test_200_mb_compare_in_about_a_millisecond(memory: "DeviceMemory", dtype: Dtype, wrong: float) -> None:
    count = 200 * MB // dtype.itemsize
    output = make_output(dtype, (1 << 20,), seed=1, wrong=wrong)
    repeated = -(-count // output.got.size)
    got = on_device(np.tile(output.got, repeated)[:count])
    expected = on_device(np.tile(output.expected, repeated)[:count])
    poison = on_device(np.tile(output.poison, repeated)[:count])
    took_ms = median_ms(
        memory, lambda: memory.compare(output.argument, (count,), got=got, expected=expected, poison=poison)
    )
    say(f"compare 200 MB of {dtype}, share wrong {wrong:g}: {took_ms:.2f} ms")
    assert took_ms < 3.0
