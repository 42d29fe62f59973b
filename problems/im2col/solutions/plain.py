"""A program takes 1024 consecutive elements of the matrix and derives all indices by divisions.

What bounds it: integer divisions, five per element.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def unfold(x, cols, size, h, w, r, s, stride, pad, high, wide, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    window = at % (high * wide)
    rest = at // (high * wide)
    j = rest % s
    i = rest // s % r
    plane = rest // s // r
    row = window // wide * stride + i - pad
    col = window % wide * stride + j - pad
    inside = (row >= 0) & (row < h) & (col >= 0) & (col < w) & (at < size)
    values = tl.load(x + (plane * h + row) * w + col, mask=inside, other=0.0)
    tl.store(cols + at, values, mask=at < size)


def solve(
    x: torch.Tensor,
    cols: torch.Tensor,
    b: int,
    c: int,
    h: int,
    w: int,
    r: int,
    s: int,
    stride: int,
    pad: int,
) -> None:
    high = (h + 2 * pad - r) // stride + 1
    wide = (w + 2 * pad - s) // stride + 1
    size = cols.numel()
    unfold[(triton.cdiv(size, 1024),)](x, cols, size, h, w, r, s, stride, pad, high, wide, BLOCK=1024)
