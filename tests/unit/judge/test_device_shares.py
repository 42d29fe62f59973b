"""Tests the division of GPU memory: programs at their limits leave enough memory for the judge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.gpu.memory_shares import Shares, memory_shares
from judge.gpu.settings import NodeSettings
from sandbox.gpu.fake_nvml import fake_gpu

H200_MIB = fake_gpu().memory_mib


def test_a_program_has_a_limit_by_default() -> None:
    shares = NodeSettings(check_slots=8).shares(H200_MIB)
    assert 8 << 10 < shares.program_mib < 12 << 10
    assert shares.client_mib + NodeSettings().secret_pool.budget_mib < H200_MIB


def test_an_operator_may_choose_another_limit_or_none() -> None:
    chosen = NodeSettings(client_memory_mib=32 << 10).shares(H200_MIB)
    assert chosen.program_mib == chosen.most_mib == 32 << 10
    unlimited = NodeSettings(client_memory_mib=0).shares(H200_MIB)
    assert (unlimited.program_mib, unlimited.client_mib) == (0, 0)
    assert 0 < unlimited.most_mib < H200_MIB


@given(
    total=st.integers(24 << 10, 300 << 10),
    slots=st.integers(1, 8),
    secret_pool=st.integers(0, 64 << 10),
)
def test_programs_that_take_all_they_may_leave_a_quarter_of_the_gpu(
    total: int, slots: int, secret_pool: int
) -> None:
    shares = memory_shares(total, slots=slots, secret_pool_mib=secret_pool)
    if shares.program_mib > 2048:  # of small GPUs with many slots a program gets so much at least
        assert slots * shares.program_mib <= 0.75 * total
        assert slots * shares.program_mib + min(secret_pool, total // 4) <= total - total // 8
    assert shares.program_mib <= shares.client_mib < total


@pytest.mark.parametrize("wanted", [None, 1, 4096, 1 << 30])
def test_the_referee_may_allocate_what_a_program_may_not(wanted: int | None) -> None:
    """The server's limit holds for it too, and the arrays of a timed session are large."""
    shares = memory_shares(H200_MIB, slots=8, secret_pool_mib=16384, program_mib=wanted)
    assert shares.client_mib >= max(shares.program_mib, H200_MIB // 2)


def test_without_a_limit_only_what_leaves_the_judge_nothing_is_charged() -> None:
    assert memory_shares(1000, slots=2, secret_pool_mib=100, program_mib=0) == Shares(0, 0, 650)
