"""A program takes 1024 entries, searches the rows of all of them at once, and adds the products to y atomically.

What bounds it: the atomic additions, one per entry, of which many go to one address. The work per program is the same,
however long a row is.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(row_start, column, value, x, y, rows, nnz, steps, BLOCK: tl.constexpr):
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = j < nnz
    row = tl.zeros((BLOCK,), tl.int32)
    above = row + rows
    for _ in range(steps):  # the same for all lanes: more steps than needed change nothing
        middle = (row + above) // 2
        starts = tl.load(row_start + middle, mask=inside, other=0) <= j
        row = tl.where(starts, middle, row)
        above = tl.where(starts, above, middle)
    product = tl.load(value + j, mask=inside, other=0.0)
    product *= tl.load(x + tl.load(column + j, mask=inside, other=0), mask=inside, other=0.0)
    tl.atomic_add(y + row, product, mask=inside)


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
    y.zero_()
    grid = (triton.cdiv(nnz, 1024),)
    multiply[grid](row_start, column, value, x, y, rows, nnz, rows.bit_length(), BLOCK=1024)
