"""Wrong: equal elements get the same place, and the place after them keeps its random bits."""

import torch
import triton
import triton.language as tl


@triton.jit
def sort_rows(input, output, cols, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols
    at = tl.arange(0, BLOCK)
    row = tl.load(input + start + at, mask=at < cols, other=float("inf"))
    again = tl.load(input + start + at, mask=at < cols, other=float("inf"))
    mine, other = row[:, None], again[None, :]
    first = other < mine
    place = tl.sum((first & (at < cols)[None, :]).to(tl.int32), axis=1)
    tl.store(output + start + place, row, mask=at < cols)


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    sort_rows[(rows,)](input, output, cols, BLOCK=64)
