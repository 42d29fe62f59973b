"""A tile of all ranks and 64 steps: maxima along the ranks, sums of delays along the steps.

Bound by memory; a program needs one atomic operation per rank instead of one per step.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def examine(t, delay, exposed, ranks, steps, RANKS: tl.constexpr, BLOCK: tl.constexpr):
    step = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    rank = tl.arange(0, RANKS)
    inside = (rank < ranks)[:, None] & (step < steps)[None, :]
    place = t + 3 * (rank.to(tl.int64)[:, None] * steps + step[None, :])
    begin = tl.load(place, mask=inside, other=-1.0)
    computed = tl.max(tl.load(place + 1, mask=inside, other=0.0), axis=0)
    ended = tl.max(tl.load(place + 2, mask=inside, other=0.0), axis=0)
    tl.store(exposed + step, tl.maximum(ended - computed, 0.0), mask=step < steps)
    latest = tl.max(begin, axis=0)
    last = tl.min(tl.where(begin == latest[None, :], rank[:, None], RANKS), axis=0)
    own = rank[:, None] == last[None, :]
    second = tl.max(tl.where(own, -1.0, begin), axis=0)
    gap = tl.where(second >= 0.0, latest - second, 0.0)
    tl.atomic_add(delay + rank, tl.sum(tl.where(own, gap[None, :], 0.0), axis=1), mask=rank < ranks)


@triton.jit
def choose(delay, rank, ranks, RANKS: tl.constexpr):
    at = tl.arange(0, RANKS)
    value = tl.load(delay + at, mask=at < ranks, other=-1.0)
    most = tl.max(value, axis=0)
    tl.store(rank, tl.min(tl.where(value == most, at, RANKS), axis=0))


def solve(
    t: torch.Tensor, delay: torch.Tensor, rank: torch.Tensor, exposed: torch.Tensor, ranks: int, steps: int
) -> None:
    padded = max(2, triton.next_power_of_2(ranks))
    delay.zero_()
    examine[(triton.cdiv(steps, 64),)](t, delay, exposed, ranks, steps, RANKS=padded, BLOCK=64)
    choose[(1,)](delay, rank, ranks, RANKS=padded)
