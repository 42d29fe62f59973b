"""tl.sort on 64 rows per program, filled up with infinities, which go to the end. Bound by arithmetic in registers."""

import torch
import triton
import triton.language as tl


@triton.jit
def sort_rows(input, output, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, COLS)[None, :]
    inside = (row < rows) & (col < cols)
    at = row * cols + col
    values = tl.load(input + at, mask=inside, other=float("inf"))
    tl.store(output + at, tl.sort(values, dim=1), mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    width = triton.next_power_of_2(cols)
    sort_rows[(triton.cdiv(rows, 64),)](input, output, rows, cols, ROWS=64, COLS=width, num_warps=8)
