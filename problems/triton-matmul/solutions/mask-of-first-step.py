"""Wrong: the pointers advance but the mask does not. It compares 0 to 31 with k in every step, so the last step multiplies
elements past the end of the rows. Compare with k minus the distance already done. The program is right if k is a
multiple of 32.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    col = tl.program_id(1) * TILE + tl.arange(0, TILE)
    at = tl.arange(0, DEPTH)
    left = a + row[:, None] * k + at[None, :]
    right = b + at[:, None] * n + col[None, :]
    total = tl.zeros((TILE, TILE), tl.float32)
    for _ in range(0, k, DEPTH):
        x = tl.load(left, mask=(row[:, None] < m) & (at[None, :] < k), other=0.0)
        y = tl.load(right, mask=(at[:, None] < k) & (col[None, :] < n), other=0.0)
        total = tl.dot(x, y, total)
        left += DEPTH
        right += DEPTH * n
    tl.store(c + row[:, None] * n + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < n))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    multiply[grid](a, b, c, m, n, k, TILE=64, DEPTH=32)
