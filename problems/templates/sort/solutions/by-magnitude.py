"""Wrong: compares magnitudes. Without negative elements no test would notice."""

import torch
import triton
import triton.language as tl


@triton.jit
def sort_rows(input, output, cols, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * cols
    at = tl.arange(0, BLOCK)
    row = tl.load(input + start + at, mask=at < cols, other=float("inf"))
    again = tl.load(input + start + at, mask=at < cols, other=float("inf"))
    mine, other = tl.abs(row)[:, None], tl.abs(again)[None, :]
    first = (other < mine) | ((other == mine) & (at[None, :] < at[:, None]))
    place = tl.sum((first & (at < cols)[None, :]).to(tl.int32), axis=1)
    tl.store(output + start + place, row, mask=at < cols)


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    sort_rows[(rows,)](input, output, cols, BLOCK=64)
