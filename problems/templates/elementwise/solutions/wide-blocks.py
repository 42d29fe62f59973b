"""Blocks of 8192 elements on eight warps: every thread has many loads in flight. Bound by memory bandwidth."""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(c + at, tl.load(a + at, mask=inside) * tl.load(b + at, mask=inside), mask=inside)


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, n: int) -> None:
    multiply[(triton.cdiv(n, 8192),)](a, b, c, n, BLOCK=8192, num_warps=8)
