"""One program per 64 x 64 tile of C. Each step multiplies two tiles with tl.dot and adds the product in float32.

What bounds it: a tile of 64 x 64 reads 64 + 64 numbers for 64 * 64 products, 32 operations per byte. Device memory alone
would be far too slow for tensor cores, so the rate of the L2 cache decides.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    col = tl.program_id(1).to(tl.int64) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, k, DEPTH):
        at = first + tl.arange(0, DEPTH)
        left = tl.load(a + row[:, None] * k + at[None, :], mask=(row[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + col[None, :], mask=(at[:, None] < k) & (col[None, :] < n), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + row[:, None] * n + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < n))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    multiply[grid](a, b, c, m, n, k, TILE=64, DEPTH=32)
