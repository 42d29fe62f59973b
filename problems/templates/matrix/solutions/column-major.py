"""Wrong: walks down the columns. With as many rows as columns this is the transposed matrix, and never out of bounds."""

import torch
import triton
import triton.language as tl


@triton.jit
def multiply(matrix, vector, output, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, cols, BLOCK):
        k = first + tl.arange(0, BLOCK)
        inside = k < cols
        m = tl.load(matrix + row + k * rows, mask=inside, other=0.0)
        total += m * tl.load(vector + k, mask=inside, other=0.0)
    tl.store(output + row, tl.sum(total, axis=0))


def solve(matrix: torch.Tensor, vector: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    multiply[(rows,)](matrix, vector, output, rows, cols, BLOCK=256)
