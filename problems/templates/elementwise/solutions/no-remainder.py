"""Wrong for odd sizes: floor division drops the last, partial block; its elements are never written."""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(c + at, tl.load(a + at, mask=inside) * tl.load(b + at, mask=inside), mask=inside)


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, n: int) -> None:
    multiply[(max(1, n // 1024),)](a, b, c, n, BLOCK=1024)
