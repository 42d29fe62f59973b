"""Wrong: the last group may have fewer than eight rows of tiles, but the program divides its numbers by eight all the same.
Some programs then compute rows below the matrix, and the masks hide that. The columns at the right of the last group
stay unwritten. Matrices with a multiple of eight rows of tiles, such as square powers of two, do not show it.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr, GROUP: tl.constexpr):
    tiles_across = tl.cdiv(n, TILE)
    group = tl.program_id(0) // (GROUP * tiles_across)
    rest = tl.program_id(0) % (GROUP * tiles_across)
    row = (group * GROUP + rest % GROUP) * TILE + tl.arange(0, TILE)
    col = (rest // GROUP) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, k, DEPTH):
        at = first + tl.arange(0, DEPTH)
        left = tl.load(a + row[:, None] * k + at[None, :], mask=(row[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + col[None, :], mask=(at[:, None] < k) & (col[None, :] < n), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + row[:, None] * n + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < n))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    grid = (triton.cdiv(m, 64) * triton.cdiv(n, 64),)
    multiply[grid](a, b, c, m, n, k, TILE=64, DEPTH=32, GROUP=8)
