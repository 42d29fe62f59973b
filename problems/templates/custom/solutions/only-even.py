"""Wrong: leaves the odd numbers as they are."""

import torch
import triton
import triton.language as tl


@triton.jit
def step(values, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(values + at, mask=at < n, other=0)
    tl.store(values + at, value // 2, mask=(at < n) & (value % 2 == 0))


def solve(values: torch.Tensor, n: int) -> None:
    step[(triton.cdiv(n, 1024),)](values, n, BLOCK=1024)
