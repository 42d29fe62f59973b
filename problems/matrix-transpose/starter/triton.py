import torch
import triton
import triton.language as tl

# Each program handles BLOCK elements.
# This kernel copies. Make it transpose, then make it fast.


@triton.jit
def transpose(source, target, rows, cols, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    values = tl.load(source + at, mask=inside)
    # 1. In which rows and columns of the source are these elements?
    # 2. Where are they in the target, which has cols rows and rows columns?
    tl.store(target + at, values, mask=inside)


def solve(input: torch.Tensor, output: torch.Tensor, rows: int, cols: int) -> None:
    count = rows * cols
    transpose[(triton.cdiv(count, 1024),)](input, output, rows, cols, count, BLOCK=1024)
