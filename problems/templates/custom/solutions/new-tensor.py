"""Wrong: returns a new tensor. What `solve` returns is not looked at; it has to change `values`."""

import torch
import triton
import triton.language as tl


@triton.jit
def step(values, stepped, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(values + at, mask=at < n, other=0)
    tl.store(stepped + at, tl.where(value % 2 == 0, value // 2, 3 * value + 1), mask=at < n)


def solve(values: torch.Tensor, n: int) -> torch.Tensor:
    stepped = torch.empty_like(values)
    step[(triton.cdiv(n, 1024),)](values, stepped, n, BLOCK=1024)
    return stepped
