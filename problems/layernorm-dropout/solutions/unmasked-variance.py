"""Wrong: lanes beyond the row are loaded as 0, which is harmless in the sum, but (0 - mean)^2 is not harmless in the variance.
Rows whose length is a power of two have no such lanes, so they pass.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def draw(seed, mask, size, threshold, BLOCK: tl.constexpr):
    counter = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    nothing = tl.zeros((BLOCK,), tl.uint32)
    w0, w1, w2, w3 = tl.philox(tl.load(seed).to(tl.uint64), counter.to(tl.uint32), nothing, nothing, nothing)
    words = tl.interleave(tl.interleave(w0, w2), tl.interleave(w1, w3))
    i = tl.program_id(0) * 4 * BLOCK + tl.arange(0, 4 * BLOCK)
    tl.store(mask + i, (words.to(tl.int64) >= threshold).to(tl.uint8), mask=i < size)


@triton.jit
def normalise(x, gamma, beta, y, mask, cols, keep, BLOCK: tl.constexpr):
    col = tl.arange(0, BLOCK)
    inside = col < cols
    i = tl.program_id(0) * cols + col
    values = tl.load(x + i, mask=inside, other=0.0)
    mean = tl.sum(values, axis=0) / cols
    centred = values - mean
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / cols + 1e-5)
    value = centred * scale * tl.load(gamma + col, mask=inside) + tl.load(beta + col, mask=inside)
    kept = tl.load(mask + i, mask=inside, other=0)
    tl.store(y + i, tl.where(kept != 0, value * keep, 0.0), mask=inside)


def solve(
    x: torch.Tensor,
    gamma: torch.Tensor,
    beta: torch.Tensor,
    seed: torch.Tensor,
    y: torch.Tensor,
    mask: torch.Tensor,
    rows: int,
    cols: int,
    threshold: int,
) -> None:
    keep = 1 / (1 - threshold / 2**32)
    block = triton.next_power_of_2(cols)
    draw[(triton.cdiv(rows * cols, 2048),)](seed, mask, rows * cols, threshold, BLOCK=512)
    normalise[(rows,)](x, gamma, beta, y, mask, cols, keep, BLOCK=block, num_warps=8)
