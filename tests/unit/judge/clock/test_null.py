"""What the protocol costs, by a runner in simulated time."""

import random

import pytest

from judge.buffers import HostMemory
from judge.clock.contracts import Null, Policy
from judge.clock.null import lower_quartile, measure_null
from tests.unit.judge.clock.simulation import NULL_US, Program, SimulatedOrders, World


def test_the_null_is_what_an_order_without_work_takes() -> None:
    orders = SimulatedOrders(World(1, random.Random(3)), Program(0.0))
    null = measure_null(orders, HostMemory(), Policy(copy_mib=1))
    assert null.us == pytest.approx(NULL_US, abs=0.5)
    assert null.copy_us >= 0
    assert null.copy_us_per_mib >= 0


def test_snapshots_take_longer_with_their_size() -> None:
    null = Null(us=1, copy_us=5, copy_us_per_mib=0.5)
    assert null.snapshot_us(0) == 5
    assert null.snapshot_us(8 << 20) == 9


def test_a_neighbour_that_comes_and_goes_does_not_raise_the_quartile() -> None:
    assert lower_quartile([10.0] * 60 + [300.0] * 40) == 10.0
