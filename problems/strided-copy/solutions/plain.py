"""A program for each 1024 elements of y. It turns their numbers into four indices and adds up the strides.

What bounds it: the divisions of 64 bits, and uncoalesced reads where the stride of the last dimension is large.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def copy(x, y, count, d1, d2, d3, s0, s1, s2, s3, offset, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    i3 = at % d3
    i2 = at // d3 % d2
    i1 = at // d3 // d2 % d1
    i0 = at // d3 // d2 // d1
    value = tl.load(x + offset + i0 * s0 + i1 * s1 + i2 * s2 + i3 * s3, mask=at < count)
    tl.store(y + at, value, mask=at < count)


def solve(
    x: torch.Tensor,
    y: torch.Tensor,
    d0: int,
    d1: int,
    d2: int,
    d3: int,
    s0: int,
    s1: int,
    s2: int,
    s3: int,
    offset: int,
) -> None:
    count = d0 * d1 * d2 * d3
    copy[(triton.cdiv(count, 1024),)](x, y, count, d1, d2, d3, s0, s1, s2, s3, offset, BLOCK=1024)
