"""Tiles of 128 x 64 in bands of four rows of tiles, so programs that run together share tiles of A and B in
the L2 cache.

What bounds it: arithmetic. Rows and columns beyond the edges wrap around, so the loads need no masks until
the last step along k. Only the stores are masked: sums of rows that wrapped are never stored.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, HIGH: tl.constexpr, WIDE: tl.constexpr, DEPTH: tl.constexpr, BAND: tl.constexpr):
    down, across = tl.cdiv(m, HIGH), tl.cdiv(n, WIDE)
    band = tl.program_id(0) // (BAND * across)
    place = tl.program_id(0) - band * BAND * across
    height = tl.minimum(BAND, down - band * BAND)  # the last band may be lower
    row = (band * BAND + place % height) * HIGH + tl.arange(0, HIGH)
    col = place // height * WIDE + tl.arange(0, WIDE)
    at = tl.arange(0, DEPTH)
    left = a + (row % m).to(tl.int64)[:, None] * k + at[None, :]
    right = b + at.to(tl.int64)[:, None] * n + (col % n)[None, :]

    total = tl.zeros((HIGH, WIDE), tl.float32)
    steps = k // DEPTH
    for _ in range(steps):
        total = tl.dot(tl.load(left), tl.load(right), total, input_precision="ieee")
        left += DEPTH
        right += DEPTH * n
    rest = at < k - steps * DEPTH
    last_left = tl.load(left, mask=rest[None, :], other=0.0)
    last_right = tl.load(right, mask=rest[:, None], other=0.0)
    total = tl.dot(last_left, last_right, total, input_precision="ieee")
    tl.store(c + row.to(tl.int64)[:, None] * n + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < n))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    grid = (triton.cdiv(m, 128) * triton.cdiv(n, 64),)
    multiply[grid](a, b, c, m, n, k, HIGH=128, WIDE=64, DEPTH=32, BAND=4, num_warps=4, num_stages=3)
