"""Tests that the contents of outputs before a call never give a correct answer."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.dtypes import expected_dtype, narrow, storage, widen
from judge.runner.buffers import HostBuffer, HostMemory, random_bytes
from judge.runner.comparison import compare
from judge.runner.poison import BENDS, bent
from problems.schema import Tolerance
from problems.vocabulary import Dtype

FLOATS = [dtype for dtype in Dtype if dtype.is_float]
WHOLE = [dtype for dtype in Dtype if not dtype.is_float and dtype is not Dtype.BOOL]
LAX = Tolerance(0.05, 0.05)  # laxer than any shipped problem
COUNT = 5000


def poison(dtype: Dtype, count: int = COUNT) -> Any:
    return bent(random_bytes(count * dtype.itemsize), BENDS[dtype]).view(storage(dtype))


def right(dtype: Dtype, got: Any, expected: Any, held: Any = None) -> int:
    found = compare("c", dtype=dtype, got=got, expected=expected, poison=held, tolerance=LAX)
    return got.size - found.mismatched


@pytest.mark.parametrize("dtype", FLOATS)
def test_adding_a_right_float_to_poison_is_wrong_everywhere(dtype: Dtype) -> None:
    rng = np.random.default_rng(1)
    largest = {Dtype.FLOAT16: 1e4, Dtype.BFLOAT16: 1e25, Dtype.FLOAT32: 1e25}.get(dtype, 1e200)
    for magnitude in (0, 1e-3, 1, 1e3, largest):
        answers: Any = widen(narrow(rng.normal(size=COUNT) * magnitude, dtype), dtype)
        held = poison(dtype)
        with np.errstate(all="ignore"):
            got = narrow(widen(held, dtype) + answers, dtype)
        assert right(dtype, got, answers) == 0
        assert right(dtype, held[abs(answers) < 5000], answers[abs(answers) < 5000]) == 0


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_have_both_signs_and_some_are_not_numbers(dtype: Dtype) -> None:
    values = widen(poison(dtype), dtype)
    assert 0.4 < np.signbit(values).mean() < 0.6
    assert 0.01 < (~np.isfinite(values)).mean() < 0.4


@pytest.mark.parametrize("dtype", WHOLE)
@given(answer=st.integers(-(2**63), 2**63 - 1))
def test_adding_to_a_poisoned_integer_is_wrong_everywhere(dtype: Dtype, answer: int) -> None:
    kind = storage(dtype)
    answers = np.full(300, answer & 2 ** (8 * dtype.itemsize) - 1, f"u{dtype.itemsize}").view(kind)
    with np.errstate(over="ignore"):
        assert right(dtype, poison(dtype, 300) + answers, answers.astype(storage(expected_dtype(dtype)))) == 0


@pytest.mark.parametrize("dtype", WHOLE)
def test_integers_are_far_from_zero(dtype: Dtype) -> None:
    values = poison(dtype).astype(np.float64)
    quarter = 2.0 ** (8 * dtype.itemsize - 2)
    assert (abs(values) >= quarter).all()
    if not storage(dtype).name.startswith("u"):
        assert 0.4 < (values < 0).mean() < 0.6


@pytest.mark.parametrize("expected", [False, True])
def test_a_bool_that_was_not_written_is_wrong_whatever_is_expected(expected: bool) -> None:
    held = poison(Dtype.BOOL)
    wanted = np.full(COUNT, expected)
    assert right(Dtype.BOOL, held, wanted, held) == 0
    assert right(Dtype.BOOL, wanted, wanted, held) == COUNT


@pytest.mark.parametrize("dtype", Dtype)
def test_poison_cannot_be_foretold(dtype: Dtype) -> None:
    unsigned = f"u{dtype.itemsize}"
    bits = np.unpackbits(poison(dtype).view(unsigned).reshape(-1, 1).view(np.uint8), axis=1).astype(int)
    varying = abs(bits.mean(axis=0) - 0.5) < 0.1
    fixed = {Dtype.FLOAT64: 7, Dtype.BOOL: 1}.get(dtype, 3 if dtype.is_float else 0)
    assert varying.sum() == 8 * dtype.itemsize - fixed
    assert (poison(dtype).view(unsigned) != poison(dtype).view(unsigned)).mean() > 0.9


@pytest.mark.parametrize("size_bytes", [0, 1, 7, 8, 9, 1001])
def test_bytes_that_are_no_whole_words_are_bent_as_far_as_they_go(size_bytes: int) -> None:
    bytes_ = bent(random_bytes(size_bytes), BENDS[Dtype.INT8]).view(np.int8).astype(int)
    assert bytes_.size == size_bytes
    assert (abs(bytes_) >= 64).all()


def test_a_buffer_holds_the_poison_that_it_returns() -> None:
    with HostMemory().buffer("c", 400) as buffer:
        held = buffer.poison(dtype=Dtype.FLOAT32)
        assert buffer.holds(held)
        values = np.asarray(held).view(np.float32)
        assert (~(abs(values) < 2.0**97)).all()
        assert isinstance(buffer, HostBuffer)
