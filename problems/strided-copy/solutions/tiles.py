"""Tiles of the dimension with the smallest stride and the last dimension. Other indices are those of the program.

What bounds it: memory. Triton turns an argument of 1 into a constant, so it knows along which dimension the addresses follow
each other. It loads in this order, changes the layout of the tile in shared memory, and stores in the order of y.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def copy(
    x, y, size_b, from_a, from_b, to_a, to_b, dp, d3, from_p, to_p, from_3, TILE: tl.constexpr, WIDE: tl.constexpr
):
    outer = tl.program_id(0).to(tl.int64)
    x += outer // size_b * from_a + outer % size_b * from_b
    y += outer // size_b * to_a + outer % size_b * to_b
    p = tl.program_id(1).to(tl.int64) * TILE + tl.arange(0, TILE)[:, None]
    for first in range(0, d3, WIDE):
        q = first + tl.arange(0, WIDE)[None, :]
        known = (p < dp) & (q < d3)
        tl.store(y + p * to_p + q, tl.load(x + p * from_p + q * from_3, mask=known), mask=known)


def solve(
    x: torch.Tensor,
    y: torch.Tensor,
    d0: int,
    d1: int,
    d2: int,
    d3: int,
    s0: int,
    s1: int,
    s2: int,
    s3: int,
    offset: int,
) -> None:
    axes = [(d0, s0, d1 * d2 * d3), (d1, s1, d2 * d3), (d2, s2, d3)]
    moving = [axis for axis in range(3) if axes[axis][0] > 1 and axes[axis][1] > 0]
    best = min(moving, key=lambda axis: axes[axis][1], default=2)
    dp, from_p, to_p = axes.pop(best)
    (size_a, from_a, to_a), (size_b, from_b, to_b) = axes
    grid = (size_a * size_b, triton.cdiv(dp, 32))
    start = x[offset:]
    copy[grid](start, y, size_b, from_a, from_b, to_a, to_b, dp, d3, from_p, to_p, s3, TILE=32, WIDE=64)
