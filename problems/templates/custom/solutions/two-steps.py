"""Wrong: three times an odd number plus one is even, and this halves it at once."""

import torch
import triton
import triton.language as tl


@triton.jit
def step(values, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(values + at, mask=at < n, other=0)
    tl.store(values + at, tl.where(value % 2 == 0, value // 2, (3 * value + 1) // 2), mask=at < n)


def solve(values: torch.Tensor, n: int) -> None:
    step[(triton.cdiv(n, 1024),)](values, n, BLOCK=1024)
