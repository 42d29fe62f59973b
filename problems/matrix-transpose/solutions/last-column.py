"""Wrong: the mask compares with cols - 1, so the last column of the input never arrives."""

import torch
import triton
import triton.language as tl


@triton.jit
def transpose(source, target, rows, cols, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    col = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inside = (row < rows)[:, None] & (col < cols - 1)[None, :]
    values = tl.load(source + row[:, None] * cols + col[None, :], mask=inside)
    tl.store(target + col[None, :] * rows + row[:, None], values, mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    transpose[(triton.cdiv(rows, 64), triton.cdiv(cols, 64))](input, output, rows, cols, TILE=64)
