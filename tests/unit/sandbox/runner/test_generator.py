"""The random numbers that a problem may draw."""

import numpy as np
import pytest

from sandbox.runner.contract import ContractError
from sandbox.runner.generator import HostGenerator


def test_draws_what_numpy_draws() -> None:
    ours, numpy = HostGenerator(7), np.random.Generator(np.random.PCG64(7))
    np.testing.assert_array_equal(ours.random(3), numpy.random(3))
    np.testing.assert_array_equal(ours.random(3, dtype=np.float32), numpy.random(3, dtype=np.float32))
    np.testing.assert_array_equal(ours.uniform(-1, 1, (2, 2)), numpy.uniform(-1, 1, (2, 2)))
    np.testing.assert_array_equal(ours.standard_normal((2, 3)), numpy.standard_normal((2, 3)))
    np.testing.assert_array_equal(ours.normal(5, 2, 4), numpy.normal(5, 2, 4))
    np.testing.assert_array_equal(ours.integers(9), numpy.integers(9))
    np.testing.assert_array_equal(ours.integers(-2, 3, 9, dtype=np.int8), numpy.integers(-2, 3, 9, np.int8))


def test_what_not_every_target_can_draw_is_refused() -> None:
    with pytest.raises(ContractError, match=r"rng\.choice is not available on every target"):
        HostGenerator(7).choice([1, 2])
    assert not hasattr(HostGenerator(7), "__len__")
