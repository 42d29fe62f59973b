"""Wrong: a start that equals the latest counts neither as a new latest nor as the second latest. If two ranks start
last at the same time, the step still adds the time from the third to the first of them. Starts that are drawn at
random are rarely equal, so a judge without such steps accepts this. The second latest start equals the latest here.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def examine(t, delay, exposed, ranks, steps, BLOCK: tl.constexpr):
    step = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = step < steps
    latest = tl.full((BLOCK,), -1.0, tl.float64)
    second = tl.full((BLOCK,), -1.0, tl.float64)
    computed = tl.zeros((BLOCK,), tl.float64)
    ended = tl.zeros((BLOCK,), tl.float64)
    last = tl.zeros((BLOCK,), tl.int32)
    place = t + 3 * step.to(tl.int64)
    for rank in range(0, ranks):
        begin = tl.load(place, mask=inside, other=0.0)
        computed = tl.maximum(computed, tl.load(place + 1, mask=inside, other=0.0))
        ended = tl.maximum(ended, tl.load(place + 2, mask=inside, other=0.0))
        later = begin > latest
        between = (begin > second) & (begin < latest)
        last = tl.where(later, rank, last)
        second = tl.where(later, latest, tl.where(between, begin, second))
        latest = tl.where(later, begin, latest)
        place += 3 * steps
    tl.store(exposed + step, tl.maximum(ended - computed, 0.0), mask=inside)
    tl.atomic_add(delay + last, latest - second, mask=inside & (second >= 0.0))


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
