"""Wrong: no mask. The last program reads past the last step of the last rank, and writes past the end of
exposed. A number of steps that is a multiple of 256 hides it.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def examine(t, delay, exposed, ranks, steps, BLOCK: tl.constexpr):
    step = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    latest = tl.full((BLOCK,), -1.0, tl.float64)
    second = tl.full((BLOCK,), -1.0, tl.float64)
    computed = tl.zeros((BLOCK,), tl.float64)
    ended = tl.zeros((BLOCK,), tl.float64)
    last = tl.zeros((BLOCK,), tl.int32)
    place = t + 3 * step.to(tl.int64)
    for rank in range(0, ranks):
        begin = tl.load(place)
        computed = tl.maximum(computed, tl.load(place + 1))
        ended = tl.maximum(ended, tl.load(place + 2))
        last = tl.where(begin > latest, rank, last)
        second = tl.maximum(second, tl.minimum(begin, latest))
        latest = tl.maximum(latest, begin)
        place += 3 * steps
    tl.store(exposed + step, tl.maximum(ended - computed, 0.0))
    tl.atomic_add(delay + last, latest - second, mask=second >= 0.0)


@triton.jit
def choose(delay, rank, ranks):
    most = tl.load(delay)
    best = ranks * 0
    for other in range(1, ranks):
        value = tl.load(delay + other)
        best = tl.where(value > most, other, best)
        most = tl.maximum(most, value)
    tl.store(rank, best)


def solve(
    t: torch.Tensor, delay: torch.Tensor, rank: torch.Tensor, exposed: torch.Tensor, ranks: int, steps: int
) -> None:
    delay.zero_()
    examine[(triton.cdiv(steps, 256),)](t, delay, exposed, ranks, steps, BLOCK=256)
    choose[(1,)](delay, rank, ranks)
