"""Blocks of 8192 numbers on eight warps: every thread has many loads in flight. Bound by memory bandwidth."""

import torch
import triton
import triton.language as tl


@triton.jit
def step(values, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(values + at, mask=at < n, other=0)
    tl.store(values + at, tl.where(value % 2 == 0, value // 2, 3 * value + 1), mask=at < n)


def solve(values: torch.Tensor, n: int) -> None:
    step[(triton.cdiv(n, 8192),)](values, n, BLOCK=8192, num_warps=8)
