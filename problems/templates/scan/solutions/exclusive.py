"""Wrong: the sum of all before, without the element itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def scan(amounts, balance, n, BLOCK: tl.constexpr):
    carry = 0
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        values = tl.load(amounts + at, mask=at < n, other=0)
        tl.store(balance + at, carry + tl.cumsum(values, axis=0) - values, mask=at < n)
        carry += tl.sum(values, axis=0)


def solve(amounts: torch.Tensor, balance: torch.Tensor, n: int) -> None:
    scan[(1,)](amounts, balance, n, BLOCK=4096)
