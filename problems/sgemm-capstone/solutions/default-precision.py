"""Wrong: without input_precision="ieee", tl.dot rounds float32 factors to TF32 on a GPU, which keeps 11 bits
of them.

The program is several times as fast, because tensor cores do the work. The usual tolerances of tests with
float16 accept it.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, m, n, k, HIGH: tl.constexpr, WIDE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(1).to(tl.int64) * HIGH + tl.arange(0, HIGH)
    col = tl.program_id(0) * WIDE + tl.arange(0, WIDE)
    total = tl.zeros((HIGH, WIDE), tl.float32)
    for first in range(0, k, DEPTH):
        at = first + tl.arange(0, DEPTH).to(tl.int64)
        left = tl.load(a + row[:, None] * k + at[None, :], mask=(row[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * n + col[None, :], mask=(at[:, None] < k) & (col[None, :] < n), other=0.0)
        total += tl.dot(left, right)
    tl.store(c + row[:, None] * n + col[None, :], total, mask=(row[:, None] < m) & (col[None, :] < n))


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, m: int, n: int, k: int) -> None:
    grid = (triton.cdiv(n, 64), triton.cdiv(m, 32))
    multiply[grid](a, b, c, m, n, k, HIGH=32, WIDE=64, DEPTH=64)
