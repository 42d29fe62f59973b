"""Wrong: the programs add their parts to C, but no line sets C to zero. It holds random bits before the call. A test that
allocates C with torch.zeros does not show it.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, part, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    col = tl.program_id(1) * TILE + tl.arange(0, TILE)
    begin = tl.program_id(2) * part
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(begin, tl.minimum(begin + part, k), DEPTH):
        at = first + tl.arange(0, DEPTH)
        left = tl.load(a + row[:, None] * k + at[None, :], mask=(row[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + col[None, :], mask=(at[:, None] < k) & (col[None, :] < n), other=0.0)
        total = tl.dot(left, right, total)
    tl.atomic_add(c + row[:, None] * n + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < n))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    part = triton.cdiv(triton.cdiv(k, 4), 32) * 32
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64), triton.cdiv(k, part))
    multiply[grid](a, b, c, m, n, k, part, TILE=64, DEPTH=32)
