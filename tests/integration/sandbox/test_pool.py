"""The warm pool over real sandboxes."""

import time
from dataclasses import replace

import pytest

from sandbox.bubblewrap import Bubblewrap
from sandbox.pool import NotReady, Pool, PoolSpec
from sandbox.python_runtime import oracle_command
from sandbox.spec import Limits, Termination

pytestmark = pytest.mark.integration

LIMITS = Limits(wall_s=30, cpu_s=30, memory_mib=512)


def test_a_warm_oracle_is_handed_out_at_once_under_the_callers_limits(backend: Bubblewrap) -> None:
    pool = Pool(backend, {"oracle": PoolSpec(oracle_command(LIMITS), 1)})
    try:
        deadline = time.monotonic() + 60
        while pool.waiting("oracle") == 0:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        began = time.monotonic()
        process = pool.take("oracle", replace(LIMITS, wall_s=0.5))
        assert time.monotonic() - began < 0.1
        assert pool.hits == {"oracle": 1}
        completion = process.wait(20)
        assert completion.ending is Termination.WALL_TIME
        assert 0.5 <= completion.wall_s < 2
        process.close()
    finally:
        pool.close()
    assert pool.waiting("oracle") == 0


def test_a_runner_that_cannot_come_up_says_why(backend: Bubblewrap) -> None:
    broken = replace(oracle_command(LIMITS), environment={})
    pool = Pool(backend, {"oracle": PoolSpec(broken, 0)})
    with pytest.raises(NotReady, match="No module named"):
        pool.take("oracle", LIMITS)
    pool.close()
