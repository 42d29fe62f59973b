"""Wrong: the kernel is centred on each output and the input padded with zeros, which is the convolution
that keeps the size ("same"). Asked for is "valid": the kernel's corner lies on the output's position,
and no position reaches beyond the input.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def convolve(
    input, kernel, output, rows, cols, kernel_rows, kernel_cols, out_rows, out_cols, BLOCK: tl.constexpr
):
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(0) + tl.zeros_like(col)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(kernel_rows):
        for j in range(kernel_cols):
            y = row + i - kernel_rows // 2
            x = col + j - kernel_cols // 2
            covered = (y >= 0) & (y < rows) & (x >= 0) & (x < cols)
            weight = tl.load(kernel + i * kernel_cols + j)
            total += weight * tl.load(input + y * cols + x, mask=covered, other=0.0)
    tl.store(output + row * out_cols + col, total, mask=col < out_cols)


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
    grid = (out_rows, triton.cdiv(out_cols, 256))
    convolve[grid](input, kernel, output, rows, cols, kernel_rows, kernel_cols, out_rows, out_cols, BLOCK=256)
