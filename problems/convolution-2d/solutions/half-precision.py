"""Lower precision: inputs and kernel pass through float16 on the way into the multiply-add, as they would on
tensor cores. Each product is then off by up to 0.1 %, and no amount of float32 accumulation brings that
back.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def convolve(input, kernel, output, cols, kernel_rows, kernel_cols, out_rows, out_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = col < out_cols
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(kernel_rows):
        for j in range(kernel_cols):
            weight = tl.load(kernel + i * kernel_cols + j).to(tl.float16)
            value = tl.load(input + (row + i) * cols + col + j, mask=inside, other=0.0).to(tl.float16)
            total += weight.to(tl.float32) * value.to(tl.float32)
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
    out_rows, out_cols = rows - kernel_rows + 1, cols - kernel_cols + 1
    grid = (out_rows, triton.cdiv(out_cols, 256))
    convolve[grid](input, kernel, output, cols, kernel_rows, kernel_cols, out_rows, out_cols, BLOCK=256)
