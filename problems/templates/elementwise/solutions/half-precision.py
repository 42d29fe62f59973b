"""Wrong: float16 keeps eleven bits, and a product of rounded numbers is off by a thousandth."""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(a + at, mask=inside).to(tl.float16)
    y = tl.load(b + at, mask=inside).to(tl.float16)
    tl.store(c + at, (x * y).to(tl.float32), mask=inside)


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, n: int) -> None:
    multiply[(triton.cdiv(n, 1024),)](a, b, c, n, BLOCK=1024)
