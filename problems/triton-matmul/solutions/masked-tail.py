"""No masks in the loop: rows and columns beyond the edges wrap around to valid ones, and only the last step is masked.

What bounds it: tensor cores and the L2 cache. Masks cost instructions in every step, and a load with a mask may be split.
A wrapped row computes results that the store then masks. Along the sum, wrapping would add wrong products, so the
remainder of k gets a step of its own, with a mask.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, HIGH: tl.constexpr, WIDE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * HIGH + tl.arange(0, HIGH)
    col = tl.program_id(1).to(tl.int64) * WIDE + tl.arange(0, WIDE)
    at = tl.arange(0, DEPTH)
    left = a + (row % m)[:, None] * k + at[None, :]
    right = b + at[:, None] * n + (col % n)[None, :]
    total = tl.zeros((HIGH, WIDE), tl.float32)
    for _ in range(k // DEPTH):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += DEPTH
        right += DEPTH * n
    rest = k % DEPTH
    if rest > 0:
        x = tl.load(left, mask=at[None, :] < rest, other=0.0)
        y = tl.load(right, mask=at[:, None] < rest, other=0.0)
        total = tl.dot(x, y, total)
    tl.store(c + row[:, None] * n + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < n))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 128))
    multiply[grid](a, b, c, m, n, k, HIGH=64, WIDE=128, DEPTH=32)
