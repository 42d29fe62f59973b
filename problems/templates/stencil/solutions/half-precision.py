"""Wrong: float16 keeps eleven bits of every neighbour."""

import torch
import triton
import triton.language as tl


@triton.jit
def smooth(input, output, rows, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = r * cols + c
    exists = c < cols
    inner = (r > 0) & (r < rows - 1) & (c > 0) & (c < cols - 1)
    up = tl.load(input + at - cols, mask=inner, other=0.0).to(tl.float16).to(tl.float32)
    down = tl.load(input + at + cols, mask=inner, other=0.0).to(tl.float16).to(tl.float32)
    left = tl.load(input + at - 1, mask=inner, other=0.0).to(tl.float16).to(tl.float32)
    right = tl.load(input + at + 1, mask=inner, other=0.0).to(tl.float16).to(tl.float32)
    mean = 0.25 * (up + down + left + right)
    own = tl.load(input + at, mask=exists)
    tl.store(output + at, tl.where(inner, mean, own), mask=exists)


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    smooth[(rows, triton.cdiv(cols, 256))](input, output, rows, cols, BLOCK=256)
