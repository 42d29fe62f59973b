"""Wrong: it computes into a tensor of its own and returns it. The output that the judge reads is the
one it passed in, and that still holds random bits.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def convolve(input, kernel, output, cols, kernel_rows, kernel_cols, out_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = col < out_cols
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(kernel_rows):
        for j in range(kernel_cols):
            weight = tl.load(kernel + i * kernel_cols + j)
            total += weight * tl.load(input + (row + i) * cols + col + j, mask=inside, other=0.0)
    tl.store(output + row * out_cols + col, total, mask=inside)


def solve(
    input: torch.Tensor,
    kernel: torch.Tensor,
    output: torch.Tensor,
    rows: int,
    cols: int,
    kernel_rows: int,
    kernel_cols: int,
) -> None:
    result = torch.empty_like(output)
    out_rows, out_cols = rows - kernel_rows + 1, cols - kernel_cols + 1
    grid = (out_rows, triton.cdiv(out_cols, 256))
    convolve[grid](input, kernel, result, cols, kernel_rows, kernel_cols, out_cols, BLOCK=256)
    return result
