"""Wrong: clears 16 bits and keeps 7 of the mantissa. That is bfloat16, which has the exponent of float32 too. TF32 keeps 10.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def to_tf32(value):
    return ((value.to(tl.int32, bitcast=True) + 0x8000) & -0x10000).to(tl.float32, bitcast=True)


@triton.jit
def multiply(a, b, c, err, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    known = at < n
    x = tl.load(a + at, mask=known, other=0.0)
    y = tl.load(b + at, mask=known, other=0.0)
    product = to_tf32(x) * to_tf32(y)
    tl.store(c + at, product, mask=known)
    tl.store(err + at, tl.fma(-x, y, product), mask=known)


def solve(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, err: torch.Tensor, n: int) -> None:
    multiply[(triton.cdiv(n, 1024),)](a, b, c, err, n, BLOCK=1024)
