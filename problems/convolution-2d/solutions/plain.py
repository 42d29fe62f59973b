"""Blocks of outputs in linear order.

What bounds it: load instructions. For each kernel element a program loads one input per output, mostly
from L1 or L2. In linear order a block is a thin strip, so the kernel_rows - 1 rows of inputs around it
are shared with blocks that may run much later, on another multiprocessor.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def convolve(input, kernel, output, cols, kernel_rows, kernel_cols, out_cols, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    corner = at // out_cols * cols + at % out_cols
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(kernel_rows):
        for j in range(kernel_cols):
            weight = tl.load(kernel + i * kernel_cols + j)
            total += weight * tl.load(input + corner + i * cols + j, mask=inside, other=0.0)
    tl.store(output + at, total, mask=inside)


def solve(
    input: torch.Tensor,
    kernel: torch.Tensor,
    output: torch.Tensor,
    rows: int,
    cols: int,
    kernel_rows: int,
    kernel_cols: int,
) -> None:
    out_rows, out_cols = rows - kernel_rows + 1, cols - kernel_cols + 1
    count, block = out_rows * out_cols, 4096
    grid = (triton.cdiv(count, block),)
    convolve[grid](
        input, kernel, output, cols, kernel_rows, kernel_cols, out_cols, count, BLOCK=block, num_warps=8
    )
