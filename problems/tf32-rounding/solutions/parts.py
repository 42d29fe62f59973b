"""Blocks of 4096 elements on eight warps. The error comes from the parts that rounding cut off, which are exact in float32.

What bounds it: memory. Each thread loads 16 elements of either vector, in loads of 16 bytes.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def to_tf32(value):
    return ((value.to(tl.int32, bitcast=True) + 0x1000) & -0x2000).to(tl.float32, bitcast=True)


@triton.jit
def multiply(a, b, c, err, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    known = at < n
    x = tl.load(a + at, mask=known, other=0.0)
    y = tl.load(b + at, mask=known, other=0.0)
    high_x = to_tf32(x)
    high_y = to_tf32(y)
    tl.store(c + at, high_x * high_y, mask=known)
    tl.store(err + at, -(high_x * (y - high_y) + (x - high_x) * y), mask=known)


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, err: torch.Tensor, n: int) -> None:
    multiply[(triton.cdiv(n, 4096),)](a, b, c, err, n, BLOCK=4096, num_warps=8)
