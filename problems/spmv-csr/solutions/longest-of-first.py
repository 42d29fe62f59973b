"""Wrong: takes the length of the tile's first row for all of its rows. Rows that are longer lose their last entries. Right for
matrices whose rows are equally long.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(row_start, column, value, x, y, rows, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    begin = tl.load(row_start + row, mask=row < rows, other=0)
    end = tl.load(row_start + row + 1, mask=row < rows, other=0)
    own = tl.program_id(0) * ROWS
    longest = tl.load(row_start + own + 1) - tl.load(row_start + own)
    total = tl.zeros((ROWS,), tl.float32)
    for first in range(0, longest, BLOCK):
        j = begin[:, None] + first + tl.arange(0, BLOCK)[None, :]
        inside = j < end[:, None]
        at = tl.load(column + j, mask=inside, other=0)
        product = tl.load(value + j, mask=inside, other=0.0) * tl.load(x + at, mask=inside, other=0.0)
        total += tl.sum(product, axis=1)
    tl.store(y + row, total, mask=row < rows)


def solve(
    row_start: torch.Tensor,
    column: torch.Tensor,
    value: torch.Tensor,
    x: torch.Tensor,
    y: torch.Tensor,
    rows: int,
    columns: int,
    nnz: int,
) -> None:
    multiply[(triton.cdiv(rows, 16),)](row_start, column, value, x, y, rows, ROWS=16, BLOCK=64)
