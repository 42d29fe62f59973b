"""One program per 64 x 64 tile of C, which adds up products of tiles with tl.dot.

Bound by arithmetic. input_precision="ieee" asks for float32 throughout: the default on a GPU is TF32, whose eleven
bits this problem does not accept.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    col = tl.program_id(1).to(tl.int64) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, n, DEPTH):
        at = first + tl.arange(0, DEPTH)
        left = tl.load(a + row[:, None] * n + at[None, :], mask=(row[:, None] < m) & (at[None, :] < n), other=0.0)
        right = tl.load(b + at[:, None] * k + col[None, :], mask=(at[:, None] < n) & (col[None, :] < k), other=0.0)
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + row[:, None] * k + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < k))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    grid = (triton.cdiv(m, 64), triton.cdiv(k, 64))
    multiply[grid](a, b, c, m, n, k, TILE=64, DEPTH=64)
