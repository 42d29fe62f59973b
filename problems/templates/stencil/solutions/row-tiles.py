"""Eight rows of 128 columns per program: neighbours above and below come out of the cache. Bound by memory bandwidth."""

import torch
import triton
import triton.language as tl


@triton.jit
def smooth(input, output, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None].to(tl.int64)
    c = (tl.program_id(1) * COLS + tl.arange(0, COLS))[None, :]
    at = r * cols + c
    exists = (r < rows) & (c < cols)
    inner = (r > 0) & (r < rows - 1) & (c > 0) & (c < cols - 1)
    vertical = tl.load(input + at - cols, mask=inner, other=0.0) + tl.load(input + at + cols, mask=inner, other=0.0)
    horizontal = tl.load(input + at - 1, mask=inner, other=0.0) + tl.load(input + at + 1, mask=inner, other=0.0)
    own = tl.load(input + at, mask=exists)
    tl.store(output + at, tl.where(inner, 0.25 * (vertical + horizontal), own), mask=exists)


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    grid = (triton.cdiv(rows, 8), triton.cdiv(cols, 128))
    smooth[grid](input, output, rows, cols, ROWS=8, COLS=128)
