"""Tests that our changes make Triton's interpreter compute like a GPU where it is more lenient or wrong."""

from collections.abc import Iterator

import numpy as np
import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.python_runtime import triton_command
from sandbox.spec import Limits
from sandbox.wire import RunFlag
from tests.integration.sandbox.talk import Talk

pytestmark = [
    pytest.mark.integration,
    pytest.mark.xdist_group("gpu-semantics"),  # compiled once, not in every process
]

SOURCE = """
import torch
import triton
import triton.language as tl

@triton.jit
def multiply(a, b, c, PRECISION: tl.constexpr):
    i = tl.arange(0, 16)
    at = i[:, None] * 16 + i[None, :]
    x, y = tl.load(a + at), tl.load(b + at)
    if PRECISION == "default":
        product = tl.dot(x, y)
    else:
        product = tl.dot(x, y, input_precision=PRECISION)
    tl.store(c + at, product)

@triton.jit
def half_of_it(a, c):
    i = tl.arange(0, 256)
    tl.store(c + i, tl.load(a + i, mask=i % 2 == 0))

@triton.jit
def masked_sum(a, c):
    i = tl.arange(0, 256)
    tl.store(c, tl.sum(tl.load(a + i, mask=i < 250), axis=0))

@triton.jit
def blocks(a, c):
    source = tl.make_tensor_descriptor(a, shape=[16, 16], strides=[16, 1], block_shape=[8, 16])
    target = tl.make_tensor_descriptor(c, shape=[16, 16], strides=[16, 1], block_shape=[8, 16])
    target.store([8, 0], source.load([8, 0]) * 2)

@triton.jit
def brain_floats(a, b, c):
    i = tl.arange(0, 256)
    x, y = tl.load(a + i), tl.load(b + i)
    tl.store(c + i, tl.where(x > y, x * y + x, -(x - y)))

@triton.jit
def brain_sums(a, c):
    i = tl.arange(0, 256)
    x = tl.load(a + i)
    tl.store(c, tl.sum(x, axis=0))
    tl.store(c + 1, tl.max(x, axis=0))
    tl.store(c + 2, tl.sum(x.to(tl.float32), axis=0))

@triton.jit
def old_blocks(a):
    tl.make_block_ptr(a, shape=(256,), strides=(1,), offsets=(0,), block_shape=(16,), order=(0,))

@triton.jit
def excluded_zero(a, c):
    i = tl.arange(0, 1)
    tl.store(c + i, tl.load(a + i, mask=i < 0, other=0.0))
    tl.store(c + 1, tl.load(a, mask=False, other=0.0))
    tl.store(c + 2, tl.load(a, mask=False))

def solve(a, b, c, which):
    match which:
        case 0: multiply[(1,)](a, b, c, "default")
        case 1: multiply[(1,)](a, b, c, "ieee")
        case 2: multiply[(1,)](a, b, c, "tf32x3")
        case 3: half_of_it[(1,)](a, c)
        case 4: masked_sum[(1,)](a, c)
        case 5: blocks[(1,)](a, c)
        case 6: brain_floats[(1,)](a, b, c)
        case 7: brain_sums[(1,)](a, c)
        case 8: excluded_zero[(1,)](a, c)
        case 9: old_blocks[(1,)](a)
"""


@pytest.fixture(scope="module")
def talk(backend: Bubblewrap) -> Iterator[Talk]:
    with Talk(backend, triton_command(Limits(wall_s=300, cpu_s=300, memory_mib=1024))) as started:
        assert started.load(SOURCE, {"arguments": []}), started.findings()
        yield started


def values(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(1, 2, (16, 16)).astype(np.float32)


def solved(talk: Talk, which: int, a: np.ndarray, b: np.ndarray, dtypes: dict[int, str]) -> np.ndarray:
    c = np.zeros_like(a)
    assert talk.run([a, b, c, ("int32", which)], dtypes=dtypes), talk.findings()
    return c


def brain(x: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def wide(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def test_dot_of_float32_is_tf32_unless_told_otherwise(talk: Talk) -> None:
    a, b = values(1), values(2)
    read = [(x.view(np.uint32) & 0xFFFFE000).view(np.float32) for x in (a, b)]
    by_default = solved(talk, 0, a, b, {})
    np.testing.assert_allclose(by_default, read[0] @ read[1], rtol=1e-6)
    assert abs(by_default - a @ b).max() > 1e-3
    for which in (1, 2):
        np.testing.assert_allclose(solved(talk, which, a, b, {}), a @ b, rtol=1e-6)


def test_a_masked_load_without_other_reads_garbage(talk: Talk) -> None:
    a = values(3)
    got = solved(talk, 3, a, a, {}).reshape(-1)
    np.testing.assert_array_equal(got[::2], a.reshape(-1)[::2])
    assert not (abs(got[1::2]) < 1e20).any()
    assert not abs(solved(talk, 4, a, a, {}).reshape(-1)[0]) < 1e20


def test_a_masked_load_without_other_reads_zeros_if_asked_to(talk: Talk) -> None:
    a = values(3)
    c = np.full_like(a, 7)
    assert talk.run([a, a, c, ("int32", 3)], flags=RunFlag.ZEROS), talk.findings()
    np.testing.assert_array_equal(c.reshape(-1)[::2], a.reshape(-1)[::2])
    assert not c.reshape(-1)[1::2].any()
    assert not (abs(solved(talk, 3, a, a, {}).reshape(-1)[1::2]) < 1e20).any(), "garbage again"


def test_a_load_of_one_element_keeps_its_other(talk: Talk) -> None:
    a = values(3)
    c = np.full_like(a, 7)
    assert talk.run([a, a, c, ("int32", 8)]), talk.findings()
    got = c.reshape(-1)
    assert list(got[:2]) == [0, 0]
    assert not abs(got[2]) < 1e20


def test_tensor_descriptors_work(talk: Talk) -> None:
    a = values(4)
    got = solved(talk, 5, a, a, {})
    np.testing.assert_array_equal(got[8:], 2 * a[8:])
    assert not got[:8].any()


def test_bfloat16_is_computed_as_numbers(talk: Talk) -> None:
    a, b = brain(values(5) - 1.5), brain(values(6) - 1.5)
    dtypes = dict.fromkeys((0, 1, 2), "bfloat16")
    got = wide(solved(talk, 6, a, b, dtypes))
    x, y = wide(a), wide(b)
    wanted = np.where(x > y, wide(brain(wide(brain(x * y)) + x)), wide(brain(y - x)))
    np.testing.assert_array_equal(got, wanted)
    sums = wide(solved(talk, 7, a, b, dtypes)).reshape(-1)
    np.testing.assert_allclose(sums[[0, 2]], x.sum(), rtol=0.01)
    assert sums[1] == x.max()
    np.testing.assert_allclose(wide(solved(talk, 0, a, b, dtypes)), x @ y, rtol=0.02, atol=0.02)


def test_block_pointers_are_named_as_removed(talk: Talk) -> None:
    """On a GPU too: Triton has none any more. Comes last, since it ends the runner."""
    a = values(7)
    assert not talk.run([a, a, a.copy(), ("int32", 9)])
    finding = talk.findings()[-1]
    assert "Block pointers have been removed in favor of the tensor descriptor API" in finding["message"]
