"""Tests which results of `reference.py` the oracle accepts, and how they are stored."""

import numpy as np
import pytest

from sandbox.runner.contract import ContractError, rounded
from sandbox.wire import WireArgument


def argument(dtype: str, count: int) -> WireArgument:
    return WireArgument(dtype, False, shape=(count,))


def store(values: object, dtype: str) -> np.ndarray:
    array = np.asarray(values)
    return rounded(np, array, argument(dtype, array.size), "it")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (np.array([-128, 127], np.int64), "int8"),
        (np.array([0, 255], np.int32), "uint8"),
        (np.array([0, 2**32 - 1], np.uint64), "uint32"),
        (np.array([-(2**63), 2**63 - 1], np.int64), "int64"),
        (np.array([True, False]), "int32"),
        (np.array([], np.int64), "int8"),
        (np.array([0, 1], np.int64), "bool"),
    ],
)
def test_integers_that_fit_are_kept(values: np.ndarray, dtype: str) -> None:
    assert store(values, dtype).astype(np.int64).tolist() == values.astype(np.int64).tolist()


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (np.array([0, 128], np.int64), "int8"),
        (np.array([-1], np.int8), "uint8"),
        (np.array([-1], np.int64), "uint32"),
        (np.array([2**63], np.uint64), "int64"),
        (np.array([2**32 + 5], np.uint64), "int32"),
        (np.array([2], np.int64), "bool"),
    ],
)
def test_integers_that_do_not_fit_are_refused(values: np.ndarray, dtype: str) -> None:
    with pytest.raises(ContractError, match="it holds"):
        store(values, dtype)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_what_overflows_a_float_is_refused_as_an_input_and_kept_as_a_result(dtype: str) -> None:
    values = np.array([1.0, 1e300])
    with pytest.raises(ContractError, match="not finite"), np.errstate(over="ignore"):
        store(values, dtype)
    with np.errstate(over="ignore"):
        rounded(np, values, argument(dtype, 2), "it", finite=False)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_infinities_that_an_author_means_are_inputs_and_nan_is_none(dtype: str) -> None:
    values = np.array([1.0, -np.inf, np.inf])
    assert store(values, dtype).shape == (3,)
    with pytest.raises(ContractError, match="not finite"):
        store(np.array([1.0, np.nan]), dtype)


def test_who_reduces_is_asked_for_every_check() -> None:
    asked: list[int] = []

    def every(holds: np.ndarray) -> bool:
        asked.append(holds.size)
        return bool(holds.all())

    for dtype, values in (("float32", [1.5]), ("int8", [1]), ("bool", [1])):
        rounded(np, np.array(values), argument(dtype, 1), "it", every=every)
    assert asked == [1, 1, 1]
