"""Wrong: lanes beyond the channel are loaded as 0, which is harmless in the sum, but (0 - mean)^2 is not harmless in the
variance. Channels whose size is a multiple of the block have no such lanes, so they pass.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def batch_norm(x, gamma, beta, running_mean, running_var, y, count, c, pixels, BLOCK: tl.constexpr):
    channel = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, count, BLOCK):
        e = first + tl.arange(0, BLOCK)
        at = ((e // pixels).to(tl.int64) * c + channel) * pixels + e % pixels
        total += tl.load(x + at, mask=e < count, other=0.0)
    mean = tl.sum(total, axis=0) / count

    squares = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, count, BLOCK):
        e = first + tl.arange(0, BLOCK)
        at = ((e // pixels).to(tl.int64) * c + channel) * pixels + e % pixels
        d = tl.load(x + at, mask=e < count, other=0.0) - mean
        squares += d * d
    deviation = tl.sum(squares, axis=0)

    scale = tl.load(gamma + channel) / tl.sqrt(deviation / count + 1e-5)
    shift = tl.load(beta + channel)
    for first in range(0, count, BLOCK):
        e = first + tl.arange(0, BLOCK)
        at = ((e // pixels).to(tl.int64) * c + channel) * pixels + e % pixels
        tl.store(y + at, (tl.load(x + at, mask=e < count) - mean) * scale + shift, mask=e < count)

    unbiased = deviation / tl.maximum(count - 1, 1)
    tl.store(running_mean + channel, 0.9 * tl.load(running_mean + channel) + 0.1 * mean)
    tl.store(running_var + channel, 0.9 * tl.load(running_var + channel) + 0.1 * unbiased)


def solve(
    x: torch.Tensor,
    gamma: torch.Tensor,
    beta: torch.Tensor,
    running_mean: torch.Tensor,
    running_var: torch.Tensor,
    y: torch.Tensor,
    n: int,
    c: int,
    h: int,
    w: int,
) -> None:
    batch_norm[(c,)](x, gamma, beta, running_mean, running_var, y, n * h * w, c, h * w, BLOCK=1024)
