"""A program takes up to 1024 windows of one row of the matrix, so channel and offset in the window are scalars.

What bounds it: DRAM bandwidth for writing, as long as a row has many windows.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def unfold(x, cols, h, w, r, s, stride, pad, windows, wide, BLOCK: tl.constexpr):
    line = tl.program_id(0)
    j = line % s
    i = line // s % r
    plane = line // s // r
    window = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = window // wide * stride + i - pad
    col = window % wide * stride + j - pad
    inside = (row >= 0) & (row < h) & (col >= 0) & (col < w)
    values = tl.load(x + (plane * h + row) * w + col, mask=inside, other=0.0)
    tl.store(cols + line * windows + window, values, mask=window < windows)


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
    block = min(1024, triton.next_power_of_2(high * wide))
    grid = (b * c * r * s, triton.cdiv(high * wide, block))
    unfold[grid](x, cols, h, w, r, s, stride, pad, high * wide, wide, BLOCK=block)
