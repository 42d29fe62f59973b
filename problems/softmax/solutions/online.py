"""Short rows share a program, long rows are streamed in column blocks with a running maximum.

What bounds it: DRAM bandwidth. A tile of several short rows keeps every program busy with about 4096
elements; a row longer than that is read twice, block by block, with the pair (m, s) of the maximum so
far and the sum of exp(x - m), and the second read mostly hits L2.
"""

import torch
import triton
import triton.language as tl

TILE = 4096
LONG_BLOCK = 8192


@triton.jit
def softmax_tile(input, output, rows, cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    inside = (row < rows) & (col < cols)
    # Lanes to the right of a row hold -inf and add nothing. Rows below the matrix hold zeros: they are not stored.
    x = tl.load(input + row * cols + col, mask=inside, other=-float("inf"))
    x = tl.where(row < rows, x, 0.0)
    power = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(output + row * cols + col, power / tl.sum(power, axis=1)[:, None], mask=inside)


@triton.jit
def softmax_stream(input, output, cols, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols
    lane = tl.arange(0, BLOCK)
    maximum = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, cols, BLOCK):
        col = first + lane
        x = tl.load(input + start + col, mask=col < cols, other=-float("inf"))
        larger = tl.maximum(maximum, x)
        # A row is longer than a block, so after the first step no lane's maximum is -inf.
        total = total * tl.exp(maximum - larger) + tl.exp(x - larger)
        maximum = larger
    top = tl.max(maximum, axis=0)
    scale = 1.0 / tl.sum(total * tl.exp(maximum - top), axis=0)
    for first in range(0, cols, BLOCK):
        col = first + lane
        x = tl.load(input + start + col, mask=col < cols)
        tl.store(output + start + col, tl.exp(x - top) * scale, mask=col < cols)


def solve(
    input: torch.Tensor,
    output: torch.Tensor,
    rows: int,
    cols: int,
) -> None:
    if cols > LONG_BLOCK:
        softmax_stream[(rows,)](input, output, cols, BLOCK=LONG_BLOCK, num_warps=16)
        return
    block = triton.next_power_of_2(cols)
    tile_rows = max(1, TILE // block)
    grid = (triton.cdiv(rows, tile_rows),)
    softmax_tile[grid](input, output, rows, cols, ROWS=tile_rows, BLOCK=block, num_warps=8)
