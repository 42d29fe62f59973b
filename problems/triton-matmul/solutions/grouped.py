"""Tiles of 128 x 128, numbered in groups of eight rows of tiles.

What bounds it: tensor cores, if the loads keep up. A larger tile needs half as many bytes per operation. Programs with
neighbouring numbers run at about the same time. In groups, 64 of them need 8 + 8 bands of A and B, which fit in the L2
cache. Row after row, they would need 64 bands of B or more. Three stages load later tiles during a product.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr, GROUP: tl.constexpr):
    tiles_down = tl.cdiv(m, TILE)
    tiles_across = tl.cdiv(n, TILE)
    group = tl.program_id(0) // (GROUP * tiles_across)
    rest = tl.program_id(0) % (GROUP * tiles_across)
    height = tl.minimum(tiles_down - group * GROUP, GROUP)  # the last group may be lower
    row = (group * GROUP + rest % height).to(tl.int64) * TILE + tl.arange(0, TILE)
    col = (rest // height).to(tl.int64) * TILE + tl.arange(0, TILE)

    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, k, DEPTH):
        at = first + tl.arange(0, DEPTH)
        left = tl.load(a + row[:, None] * k + at[None, :], mask=(row[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + col[None, :], mask=(at[:, None] < k) & (col[None, :] < n), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + row[:, None] * n + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < n))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    grid = (triton.cdiv(m, 128) * triton.cdiv(n, 128),)
    multiply[grid](a, b, c, m, n, k, TILE=128, DEPTH=64, GROUP=8, num_warps=8, num_stages=3)
